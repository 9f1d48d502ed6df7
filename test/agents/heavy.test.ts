import { describeAgents } from "./describe-agents.ts";
import { HEAVY } from "./heavy-agents.ts";

describeAgents(HEAVY, new URL("./heavy/", import.meta.url));
