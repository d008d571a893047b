import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionAddress } from "../../../Sources/CPages/client/session.js";
import { SharedConnection } from "../../../Sources/CPages/client/sharing.js";
import { Clock } from "./clock.mjs";

/** A connection to a server that says nothing, of a mirror that knows what is given. */
function connection(locks, known = {}) {
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  const options = {
    mode: "stream", interval: 2_000, patch: true, identity: "everybody",
    fetch: () => new Promise(() => {}),
  };
  const nothing = () => {};
  const reports = {
    token: () => null, answered: () => null, shown: nothing, alive: nothing, state: nothing, moved: nothing,
    outOfScope: nothing, status: nothing, ...known,
  };
  const address = new SessionAddress("http://stage.test/list", "home", options);
  return new SharedConnection(address, options, reports);
}

test("a tab stands in line for the lock once, however often it takes it", async () => {
  const clock = new Clock();
  const requests = [];
  const locks = {
    request: (_, { steal = false }, hold) =>
      new Promise((_, reject) => {
        requests.push({ steal, lose: () => reject(new DOMException("stolen", "AbortError")) });
        if (steal) hold();
      }),
  };
  const shared = connection(locks);
  for (let theft = 0; theft < 3; theft += 1) {
    await clock.turn(3_000);
    requests.at(-1).lose();
    await new Promise(setImmediate);
  }
  shared.close();
  clock.end();
  assert.deepEqual(requests.map(({ steal }) => steal), [false, true, true, true]);
});

test("a tab that comes is told what the others know, though the connection is another one", async () => {
  const clock = new Clock();
  const locks = { request: (_name, _options, hold) => new Promise(() => hold()) };
  const shared = connection(locks, { token: () => "e-4", shown: () => ({ items: [] }) });
  const said = [];
  shared.channel.postMessage = (message) => said.push(message);
  shared.channel.onmessage({ data: { kind: "hello", isNew: true } });
  const states = said.filter(({ kind }) => kind === "state");
  assert.deepEqual(states, [{ kind: "state", token: "e-4", state: { items: [] } }]);
  shared.close();
  clock.end();
});
