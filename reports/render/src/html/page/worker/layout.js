// Maps the addresses of one space to map offsets. Gaps that no block ever used are omitted. Runs in the worker.
const GAP_LEAST = 2 * 1024 * 1024;
const PAGES = { '4K': 4096, '2M': 2 ** 21, '1G': 2 ** 30 };

// The range that a block occupies: whole pages, if it has pages.
function extent(blocks, block, page) {
  const start = blocks.address[block], end = start + Math.max(blocks.size[block], 1);
  return page ? [Math.floor(start / page) * page, Math.ceil(end / page) * page] : [start, end];
}

// Pieces of the address space, in order: [start, end, offset on the map].
function pieces(process, space) {
  const blocks = process.blocks, order = [], page = PAGES[process.spaces[space].page] || 0;
  for (let block = 0; block < blocks.count; block += 1) if (blocks.space[block] === space) order.push(block);
  order.sort((a, b) => blocks.address[a] - blocks.address[b]);
  const covered = [];
  let total = 0;
  for (const block of order) {
    const [start, end] = extent(blocks, block, page);
    const last = covered[covered.length - 1];
    if (last && start <= last[1]) {
      total += Math.max(0, end - last[1]);
      last[1] = Math.max(last[1], end);
    } else {
      covered.push([start, end]);
      total += end - start;
    }
  }
  // A gap is drawn if it is small compared to what was used: it may have been a hole.
  const worth = Math.max(GAP_LEAST, total / 8);
  const joined = [];
  for (const [start, end] of covered) {
    const last = joined[joined.length - 1];
    if (last && start - last[1] <= worth) last[1] = end;
    else joined.push([start, end]);
  }
  let offset = 0;
  for (const piece of joined) {
    piece.push(offset);
    offset += piece[1] - piece[0];
  }
  return { pieces: joined, length: Math.max(offset, 1), order, page };
}

const layouts = new WeakMap();
function layoutOf(process, space) {
  if (!layouts.has(process)) layouts.set(process, new Map());
  const known = layouts.get(process);
  if (!known.has(space)) known.set(space, placed(process, pieces(process, space)));
  return known.get(space);
}

// Adds each block's offset, so that drawing is arithmetic.
function placed(process, layout) {
  const blocks = process.blocks;
  let piece = 0;
  layout.offsets = Float64Array.from(layout.order, block => {
    const address = blocks.address[block];
    while (piece + 1 < layout.pieces.length && address >= layout.pieces[piece + 1][0]) piece += 1;
    const [start, , offset] = layout.pieces[piece];
    return offset + address - start;
  });
  return layout;
}
