import { expect, test } from "vitest";
import { CONFIG_SCHEMA } from "../../src/node/config-schema.ts";

test("the schema that editors use is the one that files are checked with (`npx vitest run config-schema -u` writes it)", async () => {
  await expect(`${JSON.stringify(CONFIG_SCHEMA, null, 2)}\n`).toMatchFileSnapshot("../../pegboard.schema.json");
});
