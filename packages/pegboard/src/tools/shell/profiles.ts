import type { Profile } from "./profile.ts";
import { FILES } from "./profiles/files.ts";
import { GIT } from "./profiles/git.ts";
import { NETWORK } from "./profiles/network.ts";
import { PROJECT } from "./profiles/project.ts";
import { TEXT } from "./profiles/text.ts";

/** The programs whose arguments are known well enough for a rule to cover them, by bare name. */
export const PROFILES: Readonly<Record<string, Profile>> = { git: GIT, ...FILES, ...TEXT, ...PROJECT, ...NETWORK };
