// Answers what the page asks. Everything that looks at each block is here, so that the page itself never waits for it.

// What the page keeps of a process. It starts with the moment of the peak and the space with the most bytes then, the most informative view.
function opened(index) {
  const process = prepared(index), { blocks, spaces, points, stacks, sums, refusals } = process;
  let most = -1, moment = process.duration;
  const used = new Set(blocks.family);
  points.ns.forEach((ns, at) => {
    const total = points.live[at].reduce((sum, one) => sum + one, 0);
    if (total > most) [most, moment] = [total, ns];
    points.live[at].forEach((count, family) => count > 0 && used.add(family));
  });
  const held = spaces.map(space => space.addresses ? 0 : -1);
  for (let block = 0; block < blocks.count; block += 1) {
    if (held[blocks.space[block]] >= 0 && isLive(blocks, block, moment)) held[blocks.space[block]] += blocks.size[block];
  }
  const { at, name, duration, frames, epochs, findings } = process;
  return {
    index, at, name, duration, frames, epochs, findings, spaces, moment, used: [...used].sort((a, b) => a - b),
    space: Math.max(0, held.indexOf(Math.max(...held))),
    leaks: sums.some(sum => sum[METRICS.indexOf('leaked')] > 0),
    refusals: refusals.map(([ns, size, status, device, stack]) => ({ ns, size, status, device, frames: (stacks[stack] || []).map(frame => frames[frame]) })),
  };
}

const answers = {
  load: (_, text) => unpack(text),
  open: index => opened(index),
  columns: (index, asked) => columns(prepared(index), asked),
  live: (index, ns) => liveAt(prepared(index), ns),
  map: (index, asked) => mapAt(prepared(index), asked),
  hit: (index, asked) => hit(prepared(index), asked),
  find: (index, asked) => find(prepared(index), asked),
  flame: (index, asked) => tree(prepared(index), asked),
  leaking: (index, asked) => leaking(prepared(index), asked),
};

port.onmessage = async ({ data: { id, what, index, asked } }) => {
  try {
    port.postMessage({ id, answer: await answers[what](index, asked) });
  } catch (error) {
    port.postMessage({ id, error: String(error.message || error) });
  }
};
port.postMessage({});
