import { type Agent, PROMPT } from "./agent.ts";

const { execPath } = process;

/** Agents of a few dozen megabytes. */
export const LIGHT: readonly Agent[] = [
  {
    title: "Gemini CLI",
    client: "gemini",
    http: true,
    start({ installed, model, writeHome }) {
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      };
      writeHome(".gemini/settings.json", JSON.stringify(settings));
      const program = installed("@google/gemini-cli/bundle/gemini.js");
      return {
        argv: [execPath, program, "--prompt", PROMPT, "--yolo", "--model", "gemini-2.5-flash"],
        env: {
          GEMINI_API_KEY: "none",
          GOOGLE_GEMINI_BASE_URL: model,
          GEMINI_CLI_TRUST_WORKSPACE: "true",
          GEMINI_TELEMETRY_ENABLED: "false",
        },
      };
    },
  },
  {
    title: "Qwen Code",
    client: "qwen",
    http: true,
    start({ installed, model, writeHome }) {
      const settings = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };
      writeHome(".qwen/settings.json", JSON.stringify(settings));
      const provider = ["--auth-type", "openai", "--openai-api-key", "none", "--openai-base-url", `${model}/v1`];
      return { argv: [execPath, installed(".bin/qwen"), PROMPT, "--yolo", "--model", "scripted", ...provider] };
    },
  },
  {
    title: "Continue",
    client: "continue",
    http: false,
    start({ installed, place, model, writeHome }) {
      const about = "name: Mine\nversion: 1.0.0\nschema: v1\n";
      const scripted = `{ name: scripted, provider: openai, model: scripted, apiKey: none, apiBase: "${model}/v1", roles: [chat], capabilities: [tool_use] }`;
      writeHome(".continue/config.yaml", `${about}models:\n  - ${scripted}\n`);
      const config = `${place.home}/.continue/config.yaml`;
      return {
        argv: [execPath, installed(".bin/cn"), "--print", PROMPT, "--auto", "--config", config],
        env: { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_METRICS_ENABLED: "0" },
      };
    },
  },
  {
    title: "Kimi Code",
    client: "kimi",
    http: false,
    start({ installed, model, writeHome }) {
      const provider = `[providers.local]\ntype = "openai"\nbase_url = "${model}/v1"\napi_key = "none"\n`;
      const scripted = `[models.scripted]\nprovider = "local"\nmodel = "scripted"\nmax_context_size = 100000\n`;
      writeHome(".kimi-code/config.toml", `default_model = "scripted"\ntelemetry = false\n${provider}${scripted}`);
      return {
        argv: [execPath, installed(".bin/kimi"), "--prompt", PROMPT],
        env: { KIMI_CODE_NO_AUTO_UPDATE: "1" },
      };
    },
  },
  {
    title: "Copilot CLI",
    client: "copilot",
    http: false,
    start({ installed, model }) {
      const flags = ["--allow-all-tools", "--disable-client-telemetry"];
      return {
        argv: [execPath, installed(".bin/copilot"), "--prompt", PROMPT, ...flags],
        env: { COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_MODEL: "scripted" },
      };
    },
  },
];
