/**
 * A recording that was opened from a file: JSON Lines, a header and the entries.
 *
 *     {"application":"/counter","schema":1,"epoch":"k3f9","start":"…Z","version":0,"state":{…}}
 *     {"version":1,"at":1520,"origin":"client","action":{"type":"incremented"},"patch":[…]}
 */
import { applyPatch } from "/client/patch.js";
import { EntryList } from "./entry-list.js";
import { mountOf } from "./place.js";

/** Larger files are refused. */
const byteLimit = 512 * 1024 * 1024;
/** A state is kept every so many entries: no other is further away than that. */
const stride = 256;
/** How long the page may stand still, in milliseconds. */
const patience = 12;

/** A file that is no recording, or a damaged one. */
export class RecordingError extends Error {
  /**
   * @param {string} detail
   * @param {number | null} line Counted from 1.
   */
  constructor(detail, line = null) {
    super(line === null ? detail : `Line ${line.toLocaleString("en")}: ${detail}`);
    this.name = "RecordingError";
    this.line = line;
  }
}

/** A recording, and the state at each of its versions. */
export class Recording {
  kind = /** @type {const} */ ("file");
  /** It is of no session that could be asked. */
  place = null;
  /** A file has no news. */
  /** @type {(kind: "append" | "prepend" | "reset", count: number) => void} */
  onChange = () => {};

  /**
   * @param {string} name The file's.
   * @param {string} text
   * @param {any} header
   * @param {any[]} raws
   */
  constructor(name, text, header, raws) {
    this.name = name;
    this.text = text;
    this.header = header;
    this.baseVersion = header.version;
    this.list = new EntryList(Date.parse(header.start ?? header.created) || 0, Infinity);
    this.list.append(raws);
    this.isComplete = true;
    /** The states behind each `stride` entries, as far as they were needed. */
    this.checkpoints = [header.state];
  }

  /** Where the application is mounted. */
  get mount() {
    return mountOf(String(this.header.application ?? ""));
  }

  async readRecording() {
    return this.text;
  }

  /**
   * An entry as it is written.
   * @param {number} version
   */
  async textOf(version) {
    return this.text.split("\n", version - this.baseVersion + 1).at(-1) ?? "";
  }

  /** No recording stops being readable. */
  onError = (/** @type {any} */ _error) => {};

  close() {}

  /**
   * The state at a version. Throws where a patch before it does not fit.
   * @param {number} version
   * @param {AbortSignal} [signal]
   */
  async stateAt(version, signal) {
    const count = version - this.baseVersion;
    let at = Math.min(Math.floor(count / stride), this.checkpoints.length - 1) * stride;
    let state = this.checkpoints[at / stride];
    let pausedAt = performance.now();
    while (at < count) {
      state = this.#behind(state, this.list.entries[at]);
      at += 1;
      if (at % stride === 0) this.checkpoints[at / stride] = state;
      if (performance.now() - pausedAt < patience) continue;
      await new Promise((resolve) => setTimeout(resolve));
      signal?.throwIfAborted();
      pausedAt = performance.now();
    }
    return { state, version };
  }

  /**
   * @param {any} state
   * @param {import("./entry.js").Entry} entry
   */
  #behind(state, { patch, version }) {
    if (!patch) return state;
    try {
      return applyPatch(state, patch);
    } catch (error) {
      const line = version - this.baseVersion + 1;
      throw new RecordingError(
        `the patch of version ${version} does not fit: ${/** @type {any} */ (error).message}`,
        line,
      );
    }
  }
}

/**
 * Reads a file, also one that is packed by gzip. Throws `RecordingError`.
 * @param {File} file
 */
export async function openRecording(file) {
  if (file.size > byteLimit) throw new RecordingError(`${file.name} is too large for this page.`);
  const text = await textOf(file);
  if (!text.trim()) throw new RecordingError(`${file.name} is empty.`);
  return parseRecording(file.name, text);
}

/** @param {File} file */
async function textOf(file) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first !== 0x1f || second !== 0x8b) return file.text();
  try {
    const stream = file.stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(stream).text();
  } catch {
    throw new RecordingError(`${file.name} is packed by gzip, and damaged.`);
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
export function parseRecording(name, text) {
  const lines = text.split("\n");
  while (lines.at(-1)?.trim() === "") lines.pop();
  const header = parseLine(lines[0] ?? "", 1);
  if (!Number.isSafeInteger(header.version) || header.state === undefined) {
    throw new RecordingError("A recording begins with a version and its state.", 1);
  }
  const raws = lines.slice(1).map((line, index) => {
    const raw = parseLine(line, index + 2);
    const expected = header.version + index + 1;
    if (raw.version === expected) return raw;
    throw new RecordingError(
      Number.isSafeInteger(raw.version)
        ? `version ${raw.version} stands where version ${expected} is due.`
        : `an entry has a version; ${expected} is due.`,
      index + 2,
    );
  });
  return new Recording(name, text, header, raws);
}

/**
 * @param {string} line
 * @param {number} number
 */
function parseLine(line, number) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    const excerpt = line.length > 60 ? `${line.slice(0, 60)}…` : line;
    throw new RecordingError(`this is no JSON: ${excerpt || "(an empty line)"}`, number);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new RecordingError("a JSON object is expected.", number);
}
