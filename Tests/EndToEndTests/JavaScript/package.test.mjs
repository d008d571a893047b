import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, symlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

test("the client's files are a package", async () => {
  const folder = mkdtempSync(join(tmpdir(), "statecast-"));
  try {
    const files = fileURLToPath(new URL("../../../Sources/CPages/client", import.meta.url));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(files, join(folder, "node_modules/statecast"));
    writeFileSync(join(folder, "app.mjs"), 'export { Mirror, TextField } from "statecast";');
    const { Mirror, TextField } = await import(pathToFileURL(join(folder, "app.mjs")));
    assert.deepEqual([Mirror.name, TextField.name], ["Mirror", "TextField"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
