import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const client = path("../../../Sources/CPages/client/statecast.js");

/** The types of the server's schema, as the client takes them. */
const uses = `
  import { openSession } from ${JSON.stringify(client)};
  import * as Episodes from "./episodes";
  export async function use() {
    const session = await openSession<Episodes.State, Episodes.Action>("/episodes", "typed");
    const count: number | undefined = session.state?.screens.length;
    await session.dispatch({ type: "home/searchEdited", payload: { text: String(count) } });
    // @ts-expect-error
    await session.dispatch({ type: "home/searchEdited", payload: { text: 1 } });
    // @ts-expect-error
    await session.dispatch({ type: "home/edited" });
    // @ts-expect-error
    session.select((state) => state.pages);
  }
`;

test("the types name all that the client exports", async () => {
  const types = readFileSync(client.replace(/js$/, "d.ts"), "utf8");
  const named = [...types.matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  const exported = Object.keys(await import(client));
  // Clocks are made by the client.
  assert.deepEqual(named.sort(), [...exported, "ServerClock"].sort());
});

test("TypeScript takes the client and its types, with a server's, and refuses wrong uses", () => {
  const folder = mkdtempSync(join(tmpdir(), "statecast-"));
  try {
    const types = execFileSync(process.env.STATECAST_COMMAND, ["types", "/episodes"]);
    writeFileSync(join(folder, "episodes.ts"), types);
    writeFileSync(join(folder, "uses.ts"), uses);
    const options = "--noEmit --strict --allowJs --checkJs --target es2022 --module es2022 " +
      "--moduleResolution node --lib es2022,dom,dom.iterable --skipDefaultLibCheck";
    const files = [path("types.ts"), client, join(folder, "uses.ts")];
    const { stdout } = spawnSync("tsc", [...options.split(" "), ...files], { encoding: "utf8" });
    assert.equal(stdout, "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
