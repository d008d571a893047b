/**
 * The map of an invented city, drawn by rule: two grids of streets, a river that widens into a
 * bay, parks, bridges. One unit is ten metres; the middle is at Linden Steps; north is up.
 */
import { h } from "/client/ui/dom.js";

const middle = { latitude: 59.3251, longitude: 18.0711 };
const unitsPerDegree = 11_132;
const shrink = Math.cos((middle.latitude * Math.PI) / 180);
/** The streets stand a little askew. */
const tilt = (-14 * Math.PI) / 180;
const blockSize = 23;
const reach = 46;

/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ width: number, height: number, left: number, bottom: number }} Frame
 *   The map's size in pixels, and how much of it is covered at the left and at the bottom.
 */

/**
 * @param {import("./wire.js").Coordinate} coordinate
 * @returns {Point}
 */
export function project({ latitude, longitude }) {
  return {
    x: (longitude - middle.longitude) * unitsPerDegree * shrink,
    y: (middle.latitude - latitude) * unitsPerDegree,
  };
}

/**
 * @param {number} angle
 * @param {Point} point
 * @returns {Point}
 */
function turn(angle, { x, y }) {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

/** @param {Point[]} points */
const path = (points) =>
  `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

/**
 * The streets that run one way, every `step`th of them.
 * @param {boolean} isUp
 * @param {(index: number) => boolean} isWanted
 */
function streets(isUp, isWanted) {
  const far = reach * blockSize;
  const lines = [];
  for (let index = -reach; index <= reach; index += 1) {
    if (!isWanted(index)) continue;
    const at = index * blockSize;
    const ends = isUp
      ? [{ x: at, y: -far }, { x: at, y: far }]
      : [{ x: -far, y: at }, { x: far, y: at }];
    lines.push(path(ends.map((point) => turn(tilt, point))));
  }
  return lines.join("");
}

/**
 * A piece of an avenue, over water.
 * @param {number} x
 * @param {number} from
 * @param {number} to
 */
function bridge(x, from, to) {
  return path([{ x, y: from }, { x, y: to }].map((point) => turn(tilt, point)));
}

const isAvenue = (/** @type {number} */ index) => index % 5 === 0;
const city = {
  lanes: streets(true, (i) => !isAvenue(i)) + streets(false, (i) => !isAvenue(i) && i % 2 === 0),
  avenues: streets(true, isAvenue) + streets(false, isAvenue),
  ring: "M-900 -330C-500 -300 -360 -260 -210 -230S70 -250 190 -190"
    + "S330 60 300 240S-120 300 -260 260S-560 300 -900 220",
  diagonal: "M-700 -560L-66 -72L24 -8M24 -8L150 -60L420 -330",
  water: "M-1100 40C-700 120 -420 40 -250 86S-40 96 40 104C120 112 150 100 176 40"
    + "C190 0 184 -40 212 -70C262 -120 420 -70 560 -130S900 -160 1100 -190"
    + "L1100 330C800 300 500 380 330 300C250 262 210 190 130 152"
    + "C40 128 -60 128 -140 132S-420 110 -600 160S-900 200 -1100 130Z",
  island: "M300 60C340 30 400 40 410 80S360 140 320 124S270 90 300 60Z",
  bridges: [bridge(-345, -30, 58), bridge(-115, 45, 118), bridge(0, 84, 150)],
  parks: [
    "M-130 -226C-80 -240 -50 -210 -58 -170S-110 -146 -134 -164S-160 -214 -130 -226Z",
    "M30 172C70 158 120 168 128 204S80 250 44 238S-4 186 30 172Z",
    "M-92 150C-60 140 -30 150 -26 172S-60 206 -88 196S-116 158 -92 150Z",
    "M60 -50L104 -61L115 -17L71 -6Z",
    "M-210 -60L-166 -71L-143 18L-188 29Z",
  ],
};

/**
 * The way by the streets: along one, then along the other.
 * @param {Point} from
 * @param {Point} to
 */
function route(from, to) {
  const [start, end] = [turn(-tilt, from), turn(-tilt, to)];
  const street = Math.round((start.y * 0.35 + end.y * 0.65) / blockSize) * blockSize;
  const corners = [start, { x: start.x, y: street }, { x: end.x, y: street }, end];
  return corners.map((point) => turn(tilt, point));
}

/**
 * Where to look, so that all points stand in the part that is not covered.
 * @param {Point[]} points
 * @param {Frame} frame
 * @param {number} nearest The largest scale.
 */
function camera(points, { width, height, left, bottom }, nearest) {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const room = { x: Math.max(80, width - left - 140), y: Math.max(80, height - bottom - 150) };
  const span = { x: Math.max(...xs) - Math.min(...xs), y: Math.max(...ys) - Math.min(...ys) };
  const scale = Math.min(nearest, room.x / Math.max(span.x, 1), room.y / Math.max(span.y, 1));
  const x = left + (width - left) / 2 - ((Math.max(...xs) + Math.min(...xs)) / 2) * scale;
  const y = (height - bottom) / 2 + 14 - ((Math.max(...ys) + Math.min(...ys)) / 2) * scale;
  return { x, y, scale };
}

/**
 * @param {import("./wire.js").Screen} screen
 * @param {Frame} frame
 */
export function map(screen, frame) {
  const pickup = screen.pickup ? project(screen.pickup) : null;
  const dropoff = screen.dropoff ? project(screen.dropoff) : null;
  const found = screen.name === "dropoff" ? screen.results.map(project) : [];
  const center = pickup ?? { x: 0, y: 0 };
  const seen = dropoff && pickup ? [...route(pickup, dropoff)] : [center, ...found];
  const { x, y, scale } = camera(seen, frame, pickup ? 2.6 : 1.7);
  const move = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) scale(${scale.toFixed(4)})`;
  return h(
    "svg",
    {
      class: "map",
      "data-screen": screen.name,
      viewBox: `0 0 ${frame.width} ${frame.height}`,
      role: "img",
      "data-testid": "map",
      "aria-label": label(screen),
    },
    h(
      "g",
      { class: "camera", style: { transform: move } },
      ground(),
      pickup && dropoff ? way(route(pickup, dropoff)) : null,
      found.map(({ x, y }, index) =>
        h("circle", {
          class: "found",
          key: screen.results[index].id,
          cx: x,
          cy: y,
          r: 4.5 / scale,
        })
      ),
      screen.name === "locating" || screen.name === "launching"
        ? h("circle", { class: "radar", key: "radar", cx: 0, cy: 0, r: 60 / scale })
        : null,
      pickup ? pin("pickup", pickup, scale) : null,
      dropoff ? pin("dropoff", dropoff, scale) : null,
    ),
  );
}

const ground = () =>
  h(
    "g",
    { key: "ground" },
    h("path", { class: "lane", d: city.lanes }),
    city.parks.map((park) => h("path", { class: "park", d: park })),
    h("path", { class: "avenue-edge", d: city.avenues + city.ring + city.diagonal }),
    h("path", { class: "avenue", d: city.avenues + city.ring + city.diagonal }),
    h("path", { class: "water", d: city.water }),
    h("path", { class: "isle", d: city.island }),
    city.bridges.map((bridge) => h("path", { class: "bridge-edge", d: bridge })),
    city.bridges.map((bridge) => h("path", { class: "bridge", d: bridge })),
  );

/** @param {Point[]} points */
const way = (points) =>
  h(
    "g",
    { key: "way" },
    h("path", { class: "way-edge", d: path(points) }),
    h("path", { class: "way", d: path(points) }),
  );

/**
 * @param {"pickup" | "dropoff"} kind
 * @param {Point} point
 * @param {number} scale
 */
function pin(kind, { x, y }, scale) {
  const place = `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${(1 / scale).toFixed(4)})`;
  return h(
    "g",
    { class: `pin ${kind}`, key: kind, transform: place, "data-testid": `pin-${kind}` },
    kind === "pickup"
      ? [h("circle", { class: "halo", r: 20 }), h("circle", { class: "spot", r: 8.5 })]
      : [
        h("ellipse", { class: "pin-shadow", rx: 9, ry: 3.5 }),
        h("path", {
          class: "drop",
          d: "M0 0C-5 -12 -15 -18 -15 -29A15 15 0 1 1 15 -29C15 -18 5 -12 0 0Z",
        }),
        h("circle", { class: "eye", cy: -29, r: 5.5 }),
      ],
  );
}

/** @param {import("./wire.js").Screen} screen */
function label(screen) {
  if (screen.destination) return `Map with the way to ${screen.destination.name}`;
  return screen.pickup ? "Map with the place where you are" : "Map of the city";
}
