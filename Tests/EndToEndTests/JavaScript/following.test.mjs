/** How a mirror follows where the network does not do what a stream needs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "./clock.mjs";
import { Mirror } from "../../../Sources/CPages/client/statecast.js";

const clock = new Clock();

/** Answers states, and streams as the test says. */
function opened(stream, options = {}) {
  const asked = [];
  const fetch = async (url, { signal }) => {
    const { pathname, search } = new URL(url);
    const resource = pathname.split("/").pop();
    asked.push(resource + search);
    const stopped = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    stopped.catch(() => {});
    await clock.pause(10);
    if (resource === "events") return Promise.race([stream(asked), stopped]);
    if (search.includes("wait=")) await Promise.race([clock.pause(25_000), stopped]);
    const status = search.includes("wait=") ? 304 : 200;
    const body = status === 200 ? '{"n":1}' : null;
    return new Response(body, { status, headers: { ETag: '"e-1"' } });
  };
  const mirror = new Mirror("http://stage.test/list", "home", { fetch, ...options });
  return { mirror, asked };
}

const never = new Promise(() => {});

test("where nothing of a stream arrives long-polls stand in, and the stream is tried again", async () => {
  const { mirror, asked } = opened(() => never);
  await clock.turnUntil(() => mirror.status.phase === "live");
  assert.deepEqual([mirror.status.mode, mirror.state], ["longPoll", { n: 1 }]);
  assert.ok(clock.now < 60_000);
  const count = asked.length;
  await clock.turnUntil(() => asked.slice(count).some((url) => url.startsWith("events")));
  assert.ok(clock.now > 5 * 60_000);
  assert.ok(asked.slice(count, -1).every((url) => url === "state?wait=25"));
  mirror.close();
  clock.reset();
});

test("a mirror that is closed while it looks whether the server answers opens nothing", async () => {
  let found;
  const fetch = (url) => {
    if (url.includes("/events")) return Promise.reject(new TypeError("fetch failed"));
    return new Promise((resolve) => (found = resolve));
  };
  let count = 0;
  const mirror = new Mirror("http://stage.test/list", "home", {
    fetch: (url, init) => (count += 1, fetch(url, init)),
  });
  for (let tries = 0; tries < 3; tries += 1) {
    await clock.turnUntil(() => found);
    if (tries === 2) mirror.close();
    found(new Response("{}", { status: 200 }));
    found = undefined;
  }
  const before = count;
  const ended = clock.now + 6 * 60_000;
  setTimeout(() => {}, 6 * 60_000);
  await clock.turnUntil(() => clock.now >= ended);
  assert.deepEqual([count, mirror.status.phase], [before, "closed"]);
  clock.reset();
});

test("a busy stream is opened again no sooner than it says", async () => {
  const times = [];
  const { mirror } = opened(() => {
    times.push(clock.now);
    return new Response("retry: 7000\n\nevent: busy\ndata: {}\n\n");
  });
  await clock.turnUntil(() => times.length === 4);
  assert.ok(times.slice(1).every((time, index) => time - times[index] >= 7_000), `${times}`);
  mirror.close();
  clock.reset();
});

test("polls pause where answers come at once and bring no news", async () => {
  for (const status of [200, 304]) {
    let count = 0;
    const fetch = async () => {
      count += 1;
      await clock.pause(10);
      const isNews = count === 1 && status === 304;
      return new Response(isNews || status === 200 ? '{"n":1}' : null, {
        status: isNews ? 200 : status, headers: isNews ? { ETag: '"e-1"' } : {},
      });
    };
    const { mirror } = opened(() => never, { fetch, mode: "longPoll" });
    const end = clock.now + 20_000;
    setTimeout(() => {}, 20_000);
    await clock.turnUntil(() => clock.now >= end);
    assert.ok(count > 5 && count < 30, `${status}: ${count}`);
    mirror.close();
    clock.reset();
  }
});

test("a session that cannot be read is asked for again, by the same way", async () => {
  const times = [];
  const { mirror } = opened(() => {
    times.push(clock.now);
    return new Response('{"type":"/problems/unreadable"}', { status: 423 });
  });
  await clock.turnUntil(() => times.length === 8);
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  assert.ok(gaps.every((gap) => gap >= 500 && gap <= 21_000) && gaps.at(-1) > 4_000, `${gaps}`);
  assert.deepEqual([mirror.status.phase, mirror.status.mode], ["reconnecting", "stream"]);
  assert.equal(mirror.status.problem.type, "/problems/unreadable");
  mirror.close();
  clock.reset();
});

test("a server that cannot be reached is no reason for another way", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  const began = clock.now;
  const { mirror } = opened(() => never, { fetch });
  await clock.turnUntil(() => clock.now > began + 10 * 60_000);
  assert.deepEqual([mirror.status.mode, mirror.status.phase], ["stream", "reconnecting"]);
  mirror.close();
  clock.reset();
});

test("a stream that falls silent is opened again", async () => {
  const times = [];
  const { mirror } = opened(() => {
    times.push(clock.now);
    const text = 'event: snapshot\nid: e-1\ndata: {"version":1,"state":{"n":1}}\n\n';
    const start = (controller) => controller.enqueue(new TextEncoder().encode(text));
    return new Response(new ReadableStream({ start }));
  });
  await clock.turnUntil(() => times.length === 6);
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  // Silence is noticed after 40 seconds; a state was heard, so that the pause does not grow.
  assert.ok(gaps.every((gap) => gap > 40_000 && gap < 41_000), `${gaps}`);
  assert.equal(mirror.status.mode, "stream");
  mirror.close();
  clock.reset();
});

test("a stream that ends with its first event is opened again with growing pauses", async () => {
  const times = [];
  const { mirror } = opened(() => {
    times.push(clock.now);
    return new Response('event: snapshot\nid: e-1\ndata: {"version":1,"state":{"n":1}}\n\n');
  });
  await clock.turnUntil(() => times.length === 9);
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  assert.ok(gaps[0] <= 600 && gaps.at(-1) >= 5_000, `${gaps}`);
  assert.deepEqual([mirror.status.mode, mirror.state], ["stream", { n: 1 }]);
  mirror.close();
  clock.reset();
});

test("a busy server is asked again no sooner than it says", async () => {
  const times = [];
  const { mirror } = opened(() => {
    times.push(clock.now);
    const headers = { "Retry-After": "30" };
    return new Response('{"type":"/problems/short-of-memory"}', { status: 503, headers });
  });
  await clock.turnUntil(() => times.length === 4);
  assert.ok(times.slice(1).every((time, index) => time - times[index] >= 30_000));
  assert.deepEqual([mirror.status.phase, mirror.status.mode], ["reconnecting", "stream"]);
  mirror.close();
  clock.reset();
});

test("access by a cookie that is withdrawn is not asked for again: it may be another's by now", async () => {
  const { mirror, asked } = opened(() => new Response("event: unauthorized\ndata: {}\n\n"));
  await clock.turnUntil(() => mirror.status.phase === "unauthorized");
  let hasPassed = false;
  clock.pause(10 * 60_000).then(() => (hasPassed = true));
  await clock.turnUntil(() => hasPassed);
  assert.deepEqual([mirror.status.phase, asked], ["unauthorized", ["events?patch=json-patch"]]);
  mirror.close();
  clock.reset();
});

test("an event without an end is given up, and a snapshot asked for", async () => {
  const piece = new TextEncoder().encode(`data: ${"x".repeat(8 << 20)}`);
  let count = 0;
  const endless = () => new Response(new ReadableStream({
    pull: (controller) => {
      count += 1;
      if (count === 1) {
        controller.enqueue(new TextEncoder().encode('event: snapshot\nid: e-1\ndata: {"state":{"n":1}}\n\n'));
      } else if (count < 40) controller.enqueue(piece);
      else throw new Error("all of it was read");
    },
  }));
  const { mirror, asked } = opened((all) => all.length === 1 ? endless() : never);
  await clock.turnUntil(() => asked.length > 1);
  assert.deepEqual([asked[1], mirror.state, count < 15], ["events?patch=json-patch", { n: 1 }, true]);
  mirror.close();
  clock.reset();
});
