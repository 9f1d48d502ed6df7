import { describeAgents } from "./describe-agents.ts";
import { LIGHT } from "./light-agents.ts";

describeAgents(LIGHT, new URL("./light/", import.meta.url));
