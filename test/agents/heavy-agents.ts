import { type Agent, PLATFORM, PROMPT } from "./agent.ts";

/** Agents of hundreds of megabytes. */
export const HEAVY: readonly Agent[] = [
  {
    title: "Claude Code",
    client: "claude",
    http: true,
    start({ installed, model }) {
      const program = installed(`@anthropic-ai/claude-code-${PLATFORM}/claude`);
      const flags = ["--model", "claude-sonnet-4-5", "--allowedTools", "mcp__pegboard"];
      return {
        argv: [program, "--print", PROMPT, ...flags],
        env: {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: "none",
          // Without it the first turn does not wait for servers.
          MCP_CONNECTION_NONBLOCKING: "0",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_TELEMETRY: "1",
          DISABLE_AUTOUPDATER: "1",
        },
      };
    },
  },
  {
    title: "Codex",
    client: "codex",
    http: true,
    start({ installed, model, writeHome }) {
      const provider = `[model_providers.local]\nname = "local"\nbase_url = "${model}/v1"\nwire_api = "responses"\n`;
      const about = `model = "scripted"\nmodel_provider = "local"\n[analytics]\nenabled = false\n`;
      writeHome(".codex/config.toml", about + provider);
      const program = [process.execPath, installed("@openai/codex/bin/codex.js"), "exec", "--skip-git-repo-check"];
      // Without it the first turn does not wait for servers.
      const waiting = ["--config", "mcp_servers.pegboard.required=true"];
      return { argv: [...program, "--dangerously-bypass-approvals-and-sandbox", ...waiting, PROMPT] };
    },
  },
  {
    title: "opencode",
    client: "opencode",
    http: true,
    start({ installed, place, model }) {
      const options = { baseURL: `${model}/v1`, apiKey: "none" };
      const models = { scripted: { name: "scripted", tool_call: true } };
      const provider = { local: { npm: "@ai-sdk/openai-compatible", options, models } };
      place.write("opencode.json", JSON.stringify({ autoupdate: false, share: "disabled", provider }));
      const program = installed(`opencode-${PLATFORM}/bin/opencode`);
      return {
        argv: [program, "run", "--model", "local/scripted", "--auto", PROMPT],
        env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
      };
    },
  },
  {
    title: "Cline CLI",
    client: "cline",
    http: false,
    start({ installed, model }) {
      const program = installed(`@cline/cli-${PLATFORM}/bin/cline`);
      const provider = ["auth", "-p", "openai", "-k", "none", "-m", "scripted", "-b", `${model}/v1`];
      return {
        before: [program, ...provider],
        argv: [program, "--auto-approve", "true", PROMPT],
        // Else a process stays behind, for the sessions to come.
        env: { CLINE_SESSION_BACKEND_MODE: "local", CLINE_TELEMETRY_DISABLED: "1" },
      };
    },
  },
  {
    title: "goose",
    client: "goose",
    http: false,
    start: ({ installed, model }) => ({
      argv: [installed(`@aaif/goose-binary-${PLATFORM}/bin/goose`), "run", "--no-session", "--text", PROMPT],
      env: {
        GOOSE_PROVIDER: "openai",
        GOOSE_MODEL: "scripted",
        OPENAI_HOST: model,
        OPENAI_API_KEY: "none",
        GOOSE_MODE: "auto",
        GOOSE_DISABLE_KEYRING: "1",
        GOOSE_TELEMETRY_ENABLED: "false",
      },
    }),
  },
];
