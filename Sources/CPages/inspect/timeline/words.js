/** Times, sizes and values as the page writes them. */

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const digits = (/** @type {number} */ number, count = 2) => String(number).padStart(count, "0");

/**
 * The time of day, in milliseconds: `14:05:03.120`.
 * @param {number} time Since 1970, in milliseconds.
 */
export function clock(time) {
  const date = new Date(time);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${digits(hours)}:${digits(minutes)}:${digits(seconds)}.`
    + digits(date.getMilliseconds(), 3);
}

/**
 * `Mon, 23 Nov 2026, 14:05:03.120`
 * @param {number} time Since 1970, in milliseconds.
 */
export function dateAndClock(time) {
  const date = new Date(time).toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
  });
  return `${date}, ${clock(time)}`;
}

/**
 * A length of time: `0 ms`, `1.24 s`, `2 min 05 s`, `3 h 09 min`, `2 d 4 h`.
 * @param {number} milliseconds
 */
export function duration(milliseconds) {
  const length = Math.abs(milliseconds);
  const sign = milliseconds < 0 ? "−" : "";
  if (length < second) return `${sign}${Math.round(length)} ms`;
  if (length < minute) {
    return `${sign}${(length / second).toFixed(length < 10 * second ? 2 : 1)} s`;
  }
  if (length < hour) {
    const seconds = digits(Math.floor((length % minute) / second));
    return `${sign}${Math.floor(length / minute)} min ${seconds} s`;
  }
  if (length < day) {
    const minutes = digits(Math.floor((length % hour) / minute));
    return `${sign}${Math.floor(length / hour)} h ${minutes} min`;
  }
  return `${sign}${Math.floor(length / day)} d ${Math.floor((length % day) / hour)} h`;
}

/**
 * A place in a recording: `1:04.2`, `2:09:31.0`.
 * @param {number} milliseconds
 */
export function position(milliseconds) {
  const tenths = Math.max(0, Math.floor(milliseconds / 100));
  const seconds = `${digits(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
  const minutes = Math.floor(tenths / 600);
  if (minutes < 60) return `${minutes}:${seconds}`;
  return `${Math.floor(minutes / 60)}:${digits(minutes % 60)}:${seconds}`;
}

/**
 * `27 B`, `1.2 KB`, `3.4 MB`
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 100_000 ? 1 : 0)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * `1 entry`, `10,000 entries`
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/**
 * The beginning of a value as JSON; the whole of a large one is never written.
 * @param {any} value
 * @param {number} [room] The most characters, about.
 * @returns {string}
 */
export function brief(value, room = 120) {
  if (typeof value === "string") {
    return JSON.stringify(value.length > room ? `${value.slice(0, room)}…` : value);
  }
  if (typeof value !== "object" || value === null) return String(value);
  const isArray = Array.isArray(value);
  const names = isArray ? value.keys() : Object.keys(value);
  let text = "";
  for (const name of names) {
    if (text) text += ", ";
    if (text.length >= room) {
      text += "…";
      break;
    }
    if (!isArray) text += `${name}: `;
    text += brief(value[name], Math.max(8, room - text.length));
  }
  return isArray ? `[${text}]` : `{${text}}`;
}

const encoder = new TextEncoder();

/**
 * The bytes that a value takes as JSON.
 * @param {unknown} value
 */
export const byteCount = (value) => encoder.encode(JSON.stringify(value)).length;
