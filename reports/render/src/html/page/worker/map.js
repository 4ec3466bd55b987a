// What the address map shows at a moment, as rectangles: [x, row, width] in pixels, few enough for the page to draw in a frame.

// Collects ranges of the map, over as many rows as they span. What is narrower than a pixel is there only if the pixel is empty.
function shapes(rows, length, width, add) {
  const wideRow = Math.ceil(width + 1), filled = new Uint8Array(wideRow * rows);
  const perRow = length / rows, scale = width / perRow;
  return (offset, size, block) => {
    const end = offset + size;
    for (let from = offset, row = Math.floor(from / perRow); from < end && row < rows; row += 1) {
      const to = Math.min(end, (row + 1) * perRow);
      const x = (from - row * perRow) * scale, wide = (to - from) * scale;
      const pixel = row * wideRow + Math.floor(x);
      if (wide >= 1 || !filled[pixel]) {
        filled[pixel] = 1;
        add(x, row, Math.max(wide > 3 ? wide - 0.6 : wide, 1), block);
      }
      from = to;
    }
  };
}

function mapAt(process, { space, moment, rows, width, block: marked }) {
  const { blocks, spaces } = process;
  if (!spaces[space] || !spaces[space].addresses) return { handles: Boolean(spaces[space]) };
  const layout = layoutOf(process, space);
  const cells = [], owners = [], pages = [], pageOwners = [], mark = [];
  const live = [];
  layout.order.forEach((block, index) => {
    if (isLive(blocks, block, moment)) live.push(index);
  });
  if (layout.page > 0 && live.length < 20000) {
    const add = shapes(rows, layout.length, width, (x, row, wide, block) => {
      pages.push(x, row, wide);
      pageOwners.push(block);
    });
    for (const index of live) {
      const block = layout.order[index], [start, end] = extent(blocks, block, layout.page);
      add(layout.offsets[index] - (blocks.address[block] - start), end - start, block);
    }
  }
  const add = shapes(rows, layout.length, width, (x, row, wide, block) => {
    cells.push(x, row, wide);
    owners.push(block);
  });
  let bytes = 0;
  for (const index of live) {
    const block = layout.order[index];
    bytes += blocks.size[block];
    add(layout.offsets[index], blocks.size[block], block);
    if (block === marked) shapes(rows, layout.length, width, (x, row, wide) => mark.push(x, row, wide))(layout.offsets[index], blocks.size[block], block);
  }
  // What colors depend on, for each rectangle: stack, fate, and age in twenty steps of a logarithm.
  const looks = all => ({
    stack: Uint32Array.from(all, block => blocks.stack[block]),
    fate: Uint8Array.from(all, block => blocks.fate[block]),
    age: Uint8Array.from(all, block => Math.round(Math.min(1, Math.log10(1 + (moment - blocks.begin[block]) / process.duration * 999) / 3) * 20)),
  });
  const perRow = layout.length / rows;
  const gaps = layout.pieces.slice(1).map(([, , offset]) => [(offset % perRow) * width / perRow, Math.floor(offset / perRow)]);
  return {
    cells: Float32Array.from(cells), looks: looks(owners), pages: Float32Array.from(pages), pageLooks: looks(pageOwners), mark, gaps, rows, width,
    count: live.length, bytes, first: layout.pieces[0][0], last: layout.pieces[layout.pieces.length - 1][1],
  };
}

// All that is known of a block, for a tooltip.
function about(process, block) {
  const { blocks, spaces, frames, stacks, duration } = process;
  const end = blocks.fate[block] === LIVE ? duration : blocks.end[block];
  return {
    block, address: blocks.address[block], size: blocks.size[block], family: blocks.family[block], device: spaces[blocks.space[block]].device,
    thread: blocks.threads[blocks.thread[block]], begin: blocks.begin[block], end, fate: blocks.fate[block], leaked: isLeaked(blocks, block),
    space: blocks.space[block], stack: blocks.stack[block], frames: stacks[blocks.stack[block]].map(frame => frames[frame]),
  };
}

// The live block nearest to a place on the map, at most two pixels away.
function hit(process, { space, moment, rows, width, x, row }) {
  const { blocks, spaces } = process;
  if (!spaces[space] || !spaces[space].addresses) return null;
  const layout = layoutOf(process, space), perRow = layout.length / rows, pixel = perRow / width;
  const place = row * perRow + x * pixel;
  let best = -1, distance = 2 * pixel;
  layout.order.forEach((block, index) => {
    if (!isLive(blocks, block, moment)) return;
    const from = layout.offsets[index], to = from + blocks.size[block];
    const away = place < from ? from - place : place > to ? place - to : 0;
    if (away < distance) [best, distance] = [block, away];
  });
  return best < 0 ? null : about(process, best);
}

// The last block at `address` that was allocated by `ns`, or the largest leaked block of a stack.
function find(process, { address, ns, stack }) {
  const { blocks } = process;
  let best = -1;
  for (let block = 0; block < blocks.count; block += 1) {
    if (stack === undefined) {
      if (blocks.address[block] === address && blocks.begin[block] <= ns) best = block;
    } else if (blocks.stack[block] === stack && isLeaked(blocks, block) && (best < 0 || blocks.size[block] > blocks.size[best])) best = block;
  }
  return best < 0 ? null : about(process, best);
}
