// Live bytes by family over a time range, one column per pixel: the maximum within it, so that no peak is lost.
function columns(process, { from, to, count, hidden }) {
  const highest = new Float64Array(count * FAMILIES), best = new Float64Array(count).fill(-1);
  const last = new Float64Array(FAMILIES), scale = count / Math.max(to - from, 1), isShown = last.map((_, family) => hidden.includes(family) ? 0 : 1);
  let filled = 0;
  const take = column => {
    let total = 0;
    for (let family = 0; family < FAMILIES; family += 1) total += isShown[family] * last[family];
    if (total > best[column]) {
      best[column] = total;
      highest.set(last, column * FAMILIES);
    }
  };
  const change = (ns, apply) => {
    if (ns < from) return apply();
    const column = Math.min(count - 1, Math.floor((ns - from) * scale));
    // Until this change, the last values hold.
    for (; filled <= column; filled += 1) take(filled);
    apply();
    take(column);
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
  for (; filled < count; filled += 1) take(filled);
  return { from, to, count, highest, best };
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

// Time of the peak of device memory.
function peakIn(process, from, to) {
  const { blocks, spaces } = process;
  let live = 0, most = -1, when = from, before = from;
  sweep(blocks, to, (block, sign, ns) => {
    if (!spaces[blocks.space[block]].ofDevice) return;
    if (ns > from && live > most && sign < 0) [most, when] = [live, Math.max(from, before)];
    live += sign * blocks.size[block];
    before = ns;
  });
  return live > most ? to : when;
}
