// Formats numbers for people, and picks colors.
const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

function bytes(count) {
  if (count < 10240) return `${count} B`;
  let unit = 0, scale = 1024;
  while (unit + 1 < UNITS.length && count / scale >= 1024) {
    scale *= 1024;
    unit += 1;
  }
  return `${(count / scale).toFixed(1)} ${UNITS[unit]}`;
}

function duration(ns) {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(1)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(1)} ms`;
  if (ns < 120e9) return `${(ns / 1e9).toFixed(2)} s`;
  const seconds = Math.floor(ns / 1e9);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}

const percent = share => `${(share * 100).toFixed(1)} %`;
const hex = address => `0x${address.toString(16)}`;

// A canvas cannot use CSS variables: they are looked up once, and again when the color scheme changes.
let palette = new Map();
const scheme = matchMedia('screen and (prefers-color-scheme: dark)');
// Immediately: a printer, for which the page is light and has another width, does not wait for a frame.
for (const query of [scheme, matchMedia('print')]) {
  query.addEventListener('change', () => {
    palette = new Map();
    draw(new Set(['all']));
  });
}

function color(name) {
  if (!palette.has(name)) palette.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return palette.get(name);
}

// A site keeps its color in all drawings; the golden angle separates neighbors.
function hue(number) {
  const name = `hue ${number}`;
  if (!palette.has(name)) {
    const turn = (number * 137.508 + 212) % 360;
    const light = scheme.matches ? 58 - number % 3 * 6 : 52 + number % 3 * 7;
    palette.set(name, `hsl(${turn.toFixed(0)} 52% ${light}%)`);
  }
  return palette.get(name);
}
