import { PegboardError } from "../../core/error.ts";
import { readWorkspace } from "../../node/read-workspace.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";
import { requestTrust, toTrustView } from "../trust.ts";
import { noWorkspace } from "../workspace.ts";

/** Shows what of a workspace would run, and records that the person agrees to exactly that. Nothing of it runs. */
export async function trust({ options, terminal }: CommandInput): Promise<number> {
  const { workspace, home } = toSettings(options);
  const reading = await readWorkspace(workspace.value, { home: home.value });
  if (!reading.config) throw noWorkspace(workspace.value);
  const view = toTrustView(reading);
  if (!view.trusted && !(await requestTrust(reading, home.value, terminal, options["yes"] === true))) {
    throw new PegboardError(
      "untrusted",
      `${view.workspace} is still not trusted. Without a terminal, agree with: pegboard trust --yes`,
    );
  }
  if (options.json) terminal.print(JSON.stringify({ ...view, trusted: true, already: view.trusted }, null, 2));
  else
    terminal.print(
      view.trusted ? `${view.workspace} is trusted already` : `${view.workspace} is trusted now, as it is`,
    );
  return EXIT.done;
}
