import assert from "node:assert/strict";
import { test } from "node:test";
import { TextField } from "../../../Sources/CPages/client/statecast.js";
import { Stage, mirrors, set, settled } from "./stage.mjs";
import { Clock } from "./clock.mjs";

/** As much of an input as a text field needs. */
class Input extends EventTarget {
  value = "";
  ownerDocument = { activeElement: this };
  caret = [0, 0];
  get selectionStart() { return this.caret[0]; }
  get selectionEnd() { return this.caret[1]; }
  setSelectionRange(...caret) { this.caret = caret; }

  type(text) {
    this.value = text;
    this.dispatchEvent(new Event("input"));
  }
}

async function opened({ onError, ...options } = {}) {
  const stage = new Stage();
  const { mirror, stream } = await stage.mirror(options);
  mirrors.push(mirror);
  const action = (text) => ({ type: "noted", payload: { text } });
  const field = new TextField({ mirror, action, onError, interval: 1 });
  const input = new Input();
  await stream.begin({ note: "Milk" });
  mirror.onState((state) => field.sync(state?.note ?? ""));
  field.ref(input);
  return { stage, mirror, stream, field, input };
}

test("a field shows the server's text, and own edits until the state has them", async () => {
  const { stage, stream, input } = await opened();
  assert.equal(input.value, "Milk");
  const sent = stage.next("/actions");
  input.type("Milk and tea");
  const request = await sent;
  assert.equal(request.body, '{"type":"noted","payload":{"text":"Milk and tea"}}');
  await stream.patch("e-5", 4, 5, set("/note", "Milk and jam"));
  assert.equal(input.value, "Milk and tea");
  request.accept(6);
  await stream.patch("e-6", 5, 6, set("/note", "Milk and tea"));
  input.caret = [4, 4];
  await stream.patch("e-7", 6, 7, set("/note", "Milk, tea"));
  assert.deepEqual([input.value, input.caret], ["Milk, tea", [4, 4]]);
});

test("a field sends what was typed when it goes, and takes another element", async () => {
  const { stage, stream, field, input } = await opened();
  field.interval = 60_000;
  const sent = stage.next("/actions");
  input.type("Tea");
  field.ref(null);
  const request = await sent;
  assert.equal(JSON.parse(request.body).payload.text, "Tea");
  request.accept(5);
  await stream.patch("e-5", 4, 5, set("/note", "Tea"));
  const other = new Input();
  field.ref(other);
  assert.equal(other.value, "Tea");
  input.type("not heard any more");
  assert.equal(field.text, "Tea");
});

test("a text that is being composed is sent when it is whole", async () => {
  const { stage, field, input } = await opened();
  input.dispatchEvent(new Event("compositionstart"));
  input.type("にほ");
  field.sync("another");
  assert.equal(input.value, "にほ");
  const sent = stage.next("/actions");
  input.value = "日本";
  input.dispatchEvent(new Event("compositionend"));
  assert.equal(JSON.parse((await sent).body).payload.text, "日本");
});

test("a field shows what came before the answer to its own edit", async () => {
  const { stage, stream, input } = await opened();
  const sent = stage.next("/actions");
  input.type("mine");
  const request = await sent;
  await stream.patch("e-5", 4, 5, set("/note", "mine"));
  await stream.patch("e-6", 5, 6, set("/note", "theirs"));
  assert.equal(input.value, "mine");
  request.accept(5);
  await settled();
  assert.equal(input.value, "theirs");
});

test("what was typed before the mirror began anew is not sent", async () => {
  const { stage, mirror, field, input } = await opened();
  field.interval = 5;
  input.type("Ann's");
  const next = stage.next("/events");
  mirror.restart({ identity: "Bob" });
  await (await next).stream().begin({ note: "Tea" });
  assert.equal(input.value, "Tea");
  await new Promise((resolve) => setTimeout(resolve, 10));
  field.ref(null);
  assert.equal(stage.requests.filter(({ path }) => path.endsWith("/actions")).length, 0);
});

test("a mirror that begins anew waits for nothing that was accepted before", async () => {
  for (const isAnswered of [true, false]) {
    const { stage, mirror, input } = await opened();
    const sent = stage.next("/actions");
    input.type("Ann's");
    const request = await sent;
    if (isAnswered) request.accept(9);
    await settled();
    const next = stage.next("/events");
    mirror.restart({ identity: "Bob" });
    if (!isAnswered) request.accept(9);
    const stream = await (await next).stream();
    await stream.begin({ note: "Tea" });
    await settled();
    await stream.patch("e-5", 4, 5, set("/note", "Jam"));
    assert.equal(input.value, "Jam");
  }
});

test("an input without a selection takes the server's text", async () => {
  const { stream, input } = await opened();
  input.caret = [null, null];
  let count = 0;
  // Browsers throw here where the type is "number".
  input.setSelectionRange = () => (count += 1);
  await stream.patch("e-5", 4, 5, set("/note", "7"));
  assert.deepEqual([input.value, count], ["7", 0]);
});

const sentTexts = (stage) =>
  stage.requests.filter(({ path }) => path.endsWith("/actions"))
    .map(({ body }) => JSON.parse(body).payload.text);

test("while an edit is on its way the newest text waits, and goes once", async () => {
  const { stage, stream, field, input } = await opened();
  const sent = stage.next("/actions");
  input.type("M");
  const first = await sent;
  for (const text of ["Mi", "Mil", "Milk?"]) {
    input.type(text);
    await settled();
  }
  await stream.patch("e-5", 4, 5, set("/note", "M"));
  assert.deepEqual([input.value, sentTexts(stage)], ["Milk?", ["M"]]);
  const next = stage.next("/actions");
  first.accept(5);
  const second = await next;
  input.type("Milk!");
  field.flush();
  second.accept(6);
  (await stage.next("/actions")).accept(7);
  await stream.patch("e-7", 5, 7, set("/note", "Milk!"));
  await settled();
  assert.deepEqual([input.value, sentTexts(stage)], ["Milk!", ["M", "Milk?", "Milk!"]]);
});

test("an edit that the server puts off stands until the server says another text", async () => {
  const { stage, stream, input } = await opened();
  const sent = stage.next("/actions");
  input.type("Milk and tea");
  (await sent).answer(202, { version: 4, token: "e-4", changed: false, delayed: true });
  await settled();
  await stream.patch("e-5", 4, 5, { op: "add", path: "/other", value: 7 });
  assert.equal(input.value, "Milk and tea");
  await stream.patch("e-6", 5, 6, set("/note", "Milk and jam"));
  assert.equal(input.value, "Milk and jam");
  await stream.patch("e-7", 6, 7, set("/note", "Milk"));
  assert.equal(input.value, "Milk");
});

test("an edit that the server takes not now stays, and is sent again; one that it refuses is not", async () => {
  const errors = [];
  const onError = ({ code }) => errors.push(`${code}: ${input.value}`);
  const { stage, field, input } = await opened({ attempts: 1, onError });
  const clock = new Clock();
  const busy = stage.next("/actions");
  input.type("Milk and tea");
  await clock.turn(1);
  (await busy).refuse(503, "busy");
  await clock.turn(0);
  field.sync("Jam");
  assert.equal(input.value, "Milk and tea");
  const again = stage.next("/actions");
  await clock.turn(5_000);
  const request = await again;
  request.refuse(422, "rejected/too-long");
  await clock.turn(0);
  assert.equal(input.value, "Jam");
  await clock.turn(10_000);
  assert.deepEqual(errors, ["busy: Milk and tea", "too-long: Milk and tea"]);
  assert.deepEqual([input.value, sentTexts(stage)], ["Jam", ["Milk and tea", "Milk and tea"]]);
  clock.end();
});
