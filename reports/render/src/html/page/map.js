// The address map at the selected moment: rows of equal length, each block a rectangle. A pixel is filled only once, which bounds the cost of many small blocks.
const map = element('map');
const ROW = 15, ROW_GAP = 3;
let pointed = -1; // the block under the pointer
let rowsNow = 1;

function colorOf(blocks, block) {
  if (chosen.color === 'stack') return hue(blocks.stack[block]);
  if (chosen.color === 'fate') return [color('error'), color('warning'), color('f2')][blocks.fate[block]];
  const age = Math.min(1, Math.log10(1 + (chosen.moment - blocks.begin[block]) / chosen.process.duration * 999) / 3);
  return hue.ages[Math.round(age * 20)];
}
hue.ages = Array.from({ length: 21 }, (_, step) => `hsl(${200 - step * 9} 62% ${62 - step}%)`);

// Draws ranges of the map, over as many rows as they span. What is narrower than a pixel is drawn only if the pixel is empty.
function shapes(pen, rows, length, width) {
  const columns = Math.ceil(width + 1), filled = new Uint8Array(columns * rows);
  const perRow = length / rows, scale = width / perRow;
  return (offset, size) => {
    const end = offset + size;
    for (let from = offset, row = Math.floor(from / perRow); from < end && row < rows; row += 1) {
      const to = Math.min(end, (row + 1) * perRow);
      const x = (from - row * perRow) * scale, wide = (to - from) * scale;
      const pixel = row * columns + Math.floor(x);
      if (wide >= 1 || !filled[pixel]) {
        filled[pixel] = 1;
        pen.fillRect(x, row * (ROW + ROW_GAP), Math.max(wide > 3 ? wide - 0.6 : wide, 1), ROW);
      }
      from = to;
    }
  };
}

function drawMap() {
  const process = chosen.process, blocks = process.blocks;
  const { pen, width, height } = sheet(map, 220);
  const space = process.spaces[chosen.space];
  const held = element('held');
  held.textContent = '';
  if (!space || !space.addresses) {
    pen.fillStyle = color('soft');
    pen.fillText(say(space ? 'handles' : 'none-here'), 8, 24);
    return;
  }
  const layout = layoutOf(process, chosen.space);
  const rows = rowsNow = Math.floor(height / (ROW + ROW_GAP));
  const perRow = layout.length / rows, scale = width / perRow;
  pen.fillStyle = color('hole');
  for (let row = 0; row < rows; row += 1) pen.fillRect(0, row * (ROW + ROW_GAP), width, ROW);
  const focus = pointed >= 0 ? blocks.stack[pointed] : -1;
  const live = layout.order.map((block, index) => [block, layout.offsets[index]]).filter(([block]) => isLive(blocks, block, chosen.moment));
  const draw = shapes(pen, rows, layout.length, width);
  if (layout.page > 0 && live.length < 20000) {
    const drawPages = shapes(pen, rows, layout.length, width);
    for (const [block, offset] of live) {
      const [start, end] = extent(blocks, block, layout.page);
      pen.fillStyle = colorOf(blocks, block);
      pen.globalAlpha = 0.22;
      drawPages(offset - (blocks.address[block] - start), end - start);
    }
  }
  let sum = 0;
  for (const [block, offset] of live) {
    sum += blocks.size[block];
    pen.fillStyle = colorOf(blocks, block);
    pen.globalAlpha = focus >= 0 && blocks.stack[block] !== focus ? 0.35 : 1;
    draw(offset, blocks.size[block]);
  }
  pen.globalAlpha = 1;
  // Marks an omitted gap.
  pen.fillStyle = color('ink');
  for (const [, , offset] of layout.pieces.slice(1)) {
    const row = Math.floor(offset / perRow);
    pen.fillRect((offset - row * perRow) * scale - 1, row * (ROW + ROW_GAP) - 2, 2, ROW + 4);
  }
  const [first] = layout.pieces[0], [, last] = layout.pieces[layout.pieces.length - 1];
  held.textContent = `${live.length} ${say('blocks-live')} · ${bytes(sum)} ${say('live')} · ${hex(first)} – ${hex(last)}`;
}

function blockAt(event) {
  const space = chosen.process.spaces[chosen.space];
  if (!space || !space.addresses) return -1;
  const [x, y] = at(event, map), row = Math.floor(y / (ROW + ROW_GAP));
  const layout = layoutOf(chosen.process, chosen.space), blocks = chosen.process.blocks;
  const perRow = layout.length / rowsNow, pixel = perRow / map.clientWidth;
  const place = row * perRow + x * pixel;
  let best = -1, distance = 2 * pixel;
  layout.order.forEach((block, index) => {
    if (!isLive(blocks, block, chosen.moment)) return;
    const from = layout.offsets[index], to = from + blocks.size[block];
    const away = place < from ? from - place : place > to ? place - to : 0;
    if (away < distance) [best, distance] = [block, away];
  });
  return best;
}

map.addEventListener('pointermove', event => {
  const block = blockAt(event);
  if (block !== pointed) {
    pointed = block;
    changed('look');
  }
  if (block < 0) return hideTip();
  const process = chosen.process, blocks = process.blocks;
  const fate = [say('live-at-end'), say('dropped'), say('released')][blocks.fate[block]];
  const end = blocks.fate[block] === LIVE ? process.duration : blocks.end[block];
  const lines = [
    `${bytes(blocks.size[block])} · ${hex(blocks.address[block])}`,
    `${families[blocks.family[block]]} · ${say('device')} ${process.spaces[blocks.space[block]].device} · ${say('thread')} ${blocks.threads[blocks.thread[block]]}`,
    `${say('from')} ${duration(blocks.begin[block])} · ${say('lives')} ${duration(end - blocks.begin[block])} · ${fate}`,
  ];
  showTip(event, [...lines, ...stackLines(process, blocks.stack[block])], lines.length);
});
map.addEventListener('pointerleave', () => {
  hideTip();
  pointed = -1;
  changed('look');
});
// A click searches for the block's allocation site in the flame graph.
map.addEventListener('click', event => {
  const block = blockAt(event);
  if (block < 0) return;
  const frames = chosen.process.stacks[chosen.process.blocks.stack[block]];
  chosen.search = chosen.process.frames[frames[Math.min(1, frames.length - 1)]][0];
  element('search').value = chosen.search;
  changed('flame');
});

listeners.push(now => {
  if (['all', 'range', 'moment', 'look', 'space'].some(what => now.has(what))) drawMap();
});
