/** Times as the page writes them. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/**
 * How long until a date: `13 d 4 h`, `3 h 09 min`, `1:59`, `Out now`.
 * @param {Date} date
 * @param {number} now
 */
export function countdown(date, now) {
  const left = date.getTime() - now;
  if (left <= 0) return "Out now";
  if (left >= day) return `${Math.floor(left / day)} d ${Math.floor((left % day) / hour)} h`;
  if (left >= hour) {
    return `${Math.floor(left / hour)} h ${two(Math.floor((left % hour) / minute))} min`;
  }
  return `${Math.floor(left / minute)}:${two(Math.floor((left % minute) / second))}`;
}

/**
 * The days, hours, minutes and seconds until a date.
 * @param {Date} date
 * @param {number} now
 */
export function countdownParts(date, now) {
  const left = Math.max(0, date.getTime() - now);
  return [
    { unit: "days", value: String(Math.floor(left / day)) },
    { unit: "hours", value: two(Math.floor((left % day) / hour)) },
    { unit: "minutes", value: two(Math.floor((left % hour) / minute)) },
    { unit: "seconds", value: two(Math.floor((left % minute) / second)) },
  ];
}

/**
 * `Sat, 21 Nov, 20:15`
 * @param {Date} date
 */
export function dateAndTime(date) {
  return date.toLocaleString(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/**
 * How long ago: `just now`, `12 min ago`, `5 h ago`, `3 d ago`.
 * @param {Date} date
 * @param {number} now
 */
export function ago(date, now) {
  const passed = now - date.getTime();
  if (passed < minute) return "just now";
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`;
  if (passed < day) return `${Math.floor(passed / hour)} h ago`;
  return `${Math.floor(passed / day)} d ago`;
}

/**
 * `S2 E03`
 * @param {{ season: number, number: number }} episode
 */
export function numbering({ season, number }) {
  return `S${season} E${two(number)}`;
}
