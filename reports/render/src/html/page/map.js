// The address map at the selected moment: rows of equal length, each block a rectangle. The worker says where they are.
const map = element('map');
const ROW = 15, ROW_GAP = 3;
let pointed = null; // the block under the pointer
let plan = null; // the worker's last answer

const AGES = Array.from({ length: 21 }, (_, step) => `hsl(${200 - step * 9} 62% ${62 - step}%)`);
function lookOf(look) {
  if (chosen.color === 'stack') return hue(look);
  if (chosen.color === 'fate') return [color('error'), color('warning'), color('f2')][look];
  return AGES[look];
}

const rowsOf = () => Math.floor(220 / (ROW + ROW_GAP));

function askMap() {
  const { space, moment, block } = chosen, rows = rowsOf(), width = map.parentElement.clientWidth;
  ask('map', 'map', { space, moment, rows, width, block: block ? block.block : -1 }, answer => {
    plan = { ...answer, process: chosen.process, space };
    changed('map');
  });
}

function drawCells(pen, cells, looks, scale, alpha) {
  const key = looks[chosen.color], focus = pointed ? pointed.stack : -1;
  for (let at = 0, last = -1; at < key.length; at += 1) {
    if (key[at] !== last) pen.fillStyle = lookOf(last = key[at]);
    pen.globalAlpha = focus >= 0 && looks.stack[at] !== focus ? alpha * 0.35 : alpha;
    pen.fillRect(cells[3 * at] * scale, cells[3 * at + 1] * (ROW + ROW_GAP), Math.max(cells[3 * at + 2] * scale, 1), ROW);
  }
  pen.globalAlpha = 1;
}

function drawMap() {
  const { pen, width } = sheet(map, 220), held = element('held');
  held.textContent = '';
  if (!plan.cells) {
    pen.fillStyle = color('soft');
    pen.fillText(say(plan.handles ? 'handles' : 'none-here'), 8, 24);
    return;
  }
  const scale = width / plan.width, tall = ROW + ROW_GAP;
  pen.fillStyle = color('hole');
  for (let row = 0; row < plan.rows; row += 1) pen.fillRect(0, row * tall, width, ROW);
  drawCells(pen, plan.pages, plan.pageLooks, scale, 0.22);
  drawCells(pen, plan.cells, plan.looks, scale, 1);
  pen.fillStyle = color('ink');
  // An omitted gap.
  for (const [x, row] of plan.gaps) pen.fillRect(x * scale - 1, row * tall - 2, 2, ROW + 4);
  pen.strokeStyle = color('ink');
  pen.lineWidth = 2;
  for (let at = 0; at < plan.mark.length; at += 3) pen.strokeRect(plan.mark[at] * scale - 1, plan.mark[at + 1] * tall - 1, plan.mark[at + 2] * scale + 2, ROW + 2);
  held.textContent = `${plan.count} ${say('blocks-live')} · ${bytes(plan.bytes)} ${say('live')} · ${hex(plan.first)} – ${hex(plan.last)}`;
}

function askBlock(event, take) {
  const [x, y] = at(event, map), { space, moment } = chosen;
  ask('block', 'hit', { space, moment, rows: rowsOf(), width: map.clientWidth, x, row: Math.floor(y / (ROW + ROW_GAP)) }, take);
}

function blockLines(block) {
  const fate = [say('live-at-end'), say('dropped'), say('released')][block.fate];
  return [
    `${bytes(block.size)} · ${hex(block.address)}`,
    `${families[block.family]} · ${say('device')} ${block.device} · ${say('thread')} ${block.thread}`,
    `${say('from')} ${duration(block.begin)} · ${say('lives')} ${duration(block.end - block.begin)} · ${fate}`,
  ];
}

let isOver = false;
map.addEventListener('pointermove', event => {
  isOver = true;
  askBlock(event, block => {
    if (!isOver) return;
    if ((block && block.block) !== (pointed && pointed.block)) changed('look');
    pointed = block;
    if (!block) return hideTip();
    const lines = blockLines(block);
    showTip(event, [...lines, ...stackLines(block.frames)], lines.length);
  });
});
map.addEventListener('pointerleave', () => {
  hideTip();
  isOver = false;
  pointed = null;
  changed('look');
});
// A click selects the block, and searches for its allocation site in the flame graph.
map.addEventListener('click', event => askBlock(event, block => {
  if (!block) return;
  pick(block);
  chosen.search = block.frames[Math.min(1, block.frames.length - 1)][0];
  element('search').value = chosen.search;
  changed('flame');
}));

listeners.push(now => {
  if (['all', 'range', 'moment', 'space', 'picked'].some(what => now.has(what))) askMap();
  if (plan && plan.process === chosen.process && ['all', 'look', 'map'].some(what => now.has(what))) drawMap();
});
