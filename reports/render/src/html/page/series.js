// Live bytes by family over a time range, one column per pixel: the maximum within it, so that no peak is lost.
const FAMILIES = 10;

function columns(process, [from, to], count) {
  const highest = Array.from({ length: count }, () => null);
  const last = new Float64Array(FAMILIES), best = new Float64Array(count).fill(-1);
  const scale = count / Math.max(to - from, 1);
  let filled = 0;
  const take = (column, live) => {
    let total = 0;
    for (let family = 0; family < FAMILIES; family += 1) if (!chosen.hidden.has(family)) total += live[family];
    if (total > best[column]) {
      best[column] = total;
      highest[column] = Float64Array.from(live);
    }
  };
  // Until the next change, the last values hold.
  const advance = column => {
    for (; filled <= column && filled < count; filled += 1) take(filled, last);
  };
  const change = (ns, apply) => {
    if (ns < from) return apply();
    const column = Math.min(count - 1, Math.floor((ns - from) * scale));
    advance(column);
    apply();
    take(column, last);
  };
  if (process.whole) {
    const blocks = process.blocks;
    sweep(blocks, to, (block, sign, ns) => change(ns, () => {
      last[blocks.family[block]] += sign * blocks.size[block];
    }));
  } else {
    const points = process.points;
    points.ns.forEach((ns, index) => {
      if (ns <= to) change(ns, () => last.set(points.live[index]));
    });
  }
  advance(count - 1);
  return { highest, best };
}

// Live bytes of every family at one moment.
function liveAt(process, ns) {
  const live = new Float64Array(FAMILIES);
  if (process.whole) {
    const blocks = process.blocks;
    for (let block = 0; block < blocks.count && blocks.begin[block] <= ns; block += 1) {
      if (blocks.end[block] > ns) live[blocks.family[block]] += blocks.size[block];
    }
  } else {
    const points = process.points;
    const index = points.ns.findLastIndex(point => point <= ns);
    if (index >= 0) live.set(points.live[index]);
  }
  return live;
}
