import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

test("TypeScript takes the client's types, its own code, and refuses wrong uses", () => {
  const options = "--noEmit --strict --allowJs --checkJs --target es2022 --module es2022 " +
    "--moduleResolution node --lib es2022,dom,dom.iterable";
  const files = ["types.ts", "../../../Sources/CPages/client/statecast.js"].map(path);
  const { status, stdout } = spawnSync("tsc", [...options.split(" "), ...files], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
