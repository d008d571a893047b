/** Applies the patches of a file, a line each: `[hasIndices,[before,patch,after]]`. */
import { readFileSync } from "node:fs";
import { applyPatch, reconcile } from "../../../Sources/CPages/client/statecast.js";

const freeze = (value) => {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
};
const sorted = (value) =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.entries(inner).sort()
      : inner);

const lines = readFileSync(process.argv[2], "utf8").split("\n");
const wrong = lines.filter((line) => {
  const [hasIndices, [before, patch, after]] = freeze(JSON.parse(line));
  // JavaScript keeps the order of members whose names are no indices.
  const text = hasIndices ? sorted : JSON.stringify;
  const patched = applyPatch(before, patch);
  return text(patched) !== text(after)
    || JSON.stringify(reconcile(before, after)) !== JSON.stringify(after)
    || reconcile(patched, JSON.parse(JSON.stringify(patched))) !== patched;
});
for (const line of wrong) console.error(line);
console.log(`${lines.length} patches, ${wrong.length} wrong`);
