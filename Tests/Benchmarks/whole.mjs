// The whole state to its JSON and back in Node, with the records of `store-benchmark "whole,"`.
import { performance } from "node:perf_hooks";

const rounds = 51;

const stateOf = (count) => ({
  counter: 0,
  records: Array.from({ length: count }, (_, id) => ({
    id,
    name: `item number ${id}`,
    price: id * 1.25,
    ...(id % 3 === 0 && { note: "a note of a few words" }),
    point: { x: id, y: id / 2 },
  })),
  title: "list",
});

const median = (body) => {
  const figures = Array.from({ length: rounds }, () => {
    const start = performance.now();
    body();
    return (performance.now() - start) * 1000;
  });
  return figures.sort((one, other) => one - other)[(rounds - 1) / 2];
};

for (const count of [10, 1_000, 10_000]) {
  const state = stateOf(count);
  const json = JSON.stringify(state);
  let kept;
  const encoding = median(() => (kept = JSON.stringify(state)));
  const decoding = median(() => (kept = JSON.parse(json)));
  if (kept.records.length !== count) throw new Error("The JSON is the state's.");
  const name = `whole, ${count} records, ${json.length} bytes, Node`;
  console.log(`${name.padEnd(50)} ${encoding.toFixed(1)}; ${decoding.toFixed(1)}`);
}
