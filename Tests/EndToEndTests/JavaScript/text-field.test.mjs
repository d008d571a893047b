import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TextField } from "../../../Sources/CPages/client/statecast.js";
import { Stage, set, settled } from "./stage.mjs";

const mirrors = [];
after(() => mirrors.forEach((mirror) => mirror.close()));

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

async function opened() {
  const stage = new Stage();
  const { mirror, stream } = await stage.mirror();
  mirrors.push(mirror);
  const action = (text) => ({ type: "noted", payload: { text } });
  const field = new TextField({ mirror, action, interval: 1 });
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

test("an input without a selection takes the server's text", async () => {
  const { stream, input } = await opened();
  input.caret = [null, null];
  let count = 0;
  // Browsers throw here where the type is "number".
  input.setSelectionRange = () => (count += 1);
  await stream.patch("e-5", 4, 5, set("/note", "7"));
  assert.deepEqual([input.value, count], ["7", 0]);
});
