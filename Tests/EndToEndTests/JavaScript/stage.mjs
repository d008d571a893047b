/** A server that a test plays: each request waits for what the test answers. */
import { webcrypto } from "node:crypto";
import { afterEach } from "node:test";
import { Mirror } from "../../../Sources/CPages/client/statecast.js";

export class Stage {
  requests = [];
  #waiting = [];

  fetch = (url, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new Request(new URL(url), init, resolve, reject);
      init.signal?.addEventListener("abort", () => reject(init.signal.reason));
      this.requests.push(request);
      const index = this.#waiting.findIndex(({ path }) => request.path.endsWith(path));
      if (index >= 0) this.#waiting.splice(index, 1)[0].resolve(request);
    });

  /** The next request whose path ends so. */
  next(path) {
    return new Promise((resolve) => this.#waiting.push({ path, resolve }));
  }

  /** A mirror, and the stream that it has opened. */
  async mirror(options = {}) {
    const opened = this.next("/events");
    const all = { fetch: this.fetch, attempts: 3, ...options };
    const mirror = new Mirror("http://stage.test/list", "home", all);
    const stream = (await opened).stream();
    return { mirror, stream };
  }
}

class Request {
  constructor(url, init, resolve, reject) {
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.headers = new Headers(init.headers);
    this.body = init.body;
    this.init = init;
    this.resolve = resolve;
    this.fail = () => reject(new TypeError("fetch failed"));
  }

  answer(status, content, headers = {}) {
    const body = content === undefined ? null : JSON.stringify(content);
    this.resolve(new Response(body, { status, headers }));
  }

  refuse(status, code, members = {}, headers = {}) {
    this.answer(status, { type: `/problems/${code}`, status, ...members }, headers);
  }

  accept(version) {
    this.answer(200, { version, token: `e-${version}`, changed: true });
  }

  stream() {
    let writer;
    const body = new ReadableStream({ start: (controller) => (writer = controller) });
    this.resolve(new Response(body, { status: 200 }));
    return new Stream(writer, this);
  }
}

class Stream {
  constructor(writer, request) {
    this.writer = writer;
    this.request = request;
  }

  write(text) {
    this.writer.enqueue(new TextEncoder().encode(text));
    return settled();
  }

  say(type, id, content) {
    const name = type === "message" ? "" : `event: ${type}\n`;
    const data = typeof content === "string" ? content : JSON.stringify(content);
    return this.write(`${name}id: ${id}\ndata: ${data}\n\n`);
  }

  begin(state, version = 4) {
    return this.say("snapshot", `e-${version}`, { version, state });
  }

  patch(id, from, version, ...ops) {
    return this.say("patch", id, { from, version, ops });
  }

  end() {
    this.writer.close();
    return settled();
  }

  break() {
    this.writer.error(new TypeError("network error"));
    return settled();
  }
}

// Pauses before another try are as short as they may be; keys are random all the same, also in Node 18.
Math.random = () => 0;
globalThis.crypto ??= webcrypto;

export const mirrors = [];
afterEach(() => mirrors.splice(0).forEach((mirror) => mirror.close()));

/** A mirror that shows a state of version 4, what it told, and its server. */
export async function opened(state, options) {
  const stage = new Stage();
  const { mirror, stream } = await stage.mirror(options);
  mirrors.push(mirror);
  const told = [];
  const phases = [];
  mirror.onState((state, token) => told.push(`${token} ${JSON.stringify(state)}`));
  mirror.onStatus(({ phase }) => phases.push(phase));
  if (state !== undefined) await stream.begin(state);
  return { mirror, stage, stream, told, phases };
}

export const add = { type: "added", payload: { name: "Milk" } };
export const adds = (state, { payload }, key) => ({ ...state, items: [...state.items, { key, ...payload }] });

export const set = (path, value) => ({ op: "replace", path, value });

/** Everything that is not waited for by a clock has happened. */
export const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Waits for a condition, looked at every 2 milliseconds. */
export async function until(condition) {
  for (let count = 0; !(await condition()); count += 1) {
    if (count > 5_000) throw new Error(`never true: ${condition}`);
    await settled();
  }
}
