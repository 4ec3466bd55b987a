// The icicle graph: callers above, the allocating call at the tip. Widths are bytes of the selected metric in the selected time range.
const flame = element('flame');
const METRICS = ['live', 'leaked', 'allocated', 'peak'], LAYER = 19;
let root = null, zoomed = null, boxes = [], under = null;

// Bytes by stack. For the whole run they were summed before anything was left out.
function weights() {
  const { sums, blocks, spaces } = chosen.process, which = METRICS.indexOf(chosen.metric);
  if (!chosen.range) return sums.map(sum => sum[which]);
  const [from, to] = chosen.range, sum = new Float64Array(sums.length);
  const add = (block, fits) => {
    if (fits) sum[blocks.stack[block]] += blocks.size[block];
  };
  const moment = chosen.metric === 'peak' ? peakIn(from, to) : to;
  for (let block = 0; block < blocks.count && blocks.begin[block] <= to; block += 1) {
    const began = blocks.begin[block] >= from;
    if (chosen.metric === 'allocated') add(block, began);
    else if (chosen.metric === 'leaked') add(block, began && isLeaked(blocks, block));
    else add(block, isLive(blocks, block, moment) && (chosen.metric === 'live' || spaces[blocks.space[block]].ofDevice));
  }
  return sum;
}

// Time of the peak of device memory.
function peakIn(from, to) {
  const { blocks, spaces } = chosen.process;
  let live = 0, most = -1, when = from, before = from;
  sweep(blocks, to, (block, sign, ns) => {
    if (!spaces[blocks.space[block]].ofDevice) return;
    if (ns > from && live > most && sign < 0) [most, when] = [live, Math.max(from, before)];
    live += sign * blocks.size[block];
    before = ns;
  });
  return live > most ? to : when;
}

function build() {
  const values = weights(), stacks = chosen.process.stacks;
  root = { frame: -1, value: 0, children: new Map(), depth: 0, parent: null };
  stacks.forEach((stack, index) => {
    const value = values[index];
    if (!value) return;
    let node = root;
    node.value += value;
    for (let at = stack.length - 1; at >= 0; at -= 1) {
      // Calls from several lines of one function share a box.
      const frame = stack[at], name = chosen.process.frames[frame][0];
      if (!node.children.has(name)) node.children.set(name, { frame, value: 0, children: new Map(), depth: node.depth + 1, parent: node });
      node = node.children.get(name);
      node.value += value;
    }
  });
  zoomed = root;
}

const nameOf = node => node.frame < 0 ? say('total') : chosen.process.frames[node.frame][0];

function deepest(node) {
  let most = node.depth;
  for (const child of node.children.values()) most = Math.max(most, deepest(child));
  return most;
}

function drawFlame() {
  const above = [];
  for (let node = zoomed; node; node = node.parent) above.unshift(node);
  const layers = Math.max(3, deepest(zoomed) + 1);
  const { pen, width } = sheet(flame, layers * LAYER + 2);
  const search = chosen.search.toLowerCase();
  boxes = [];
  let matched = 0;
  pen.textBaseline = 'middle';
  const draw = (node, x, wide, counted) => {
    const isMatch = search && nameOf(node).toLowerCase().includes(search);
    if (isMatch && !counted) matched += node.value;
    if (wide >= 0.4) {
      const y = node.depth * LAYER;
      pen.globalAlpha = search && !isMatch ? 0.4 : 1;
      pen.fillStyle = node.frame < 0 ? color('line') : isMatch ? color('accent') : warm(node.frame);
      pen.fillRect(x, y, Math.max(wide - 0.7, 0.4), LAYER - 1);
      pen.globalAlpha = 1;
      const label = fitted(pen, nameOf(node), wide - 8);
      if (label) {
        pen.fillStyle = node.frame < 0 ? color('ink') : isMatch ? color('panel') : '#1d1408';
        pen.fillText(label, x + 4, y + LAYER / 2);
      }
      boxes.push([x, y, wide, node]);
    }
    if (node.depth < zoomed.depth) return;
    let left = x;
    const children = [...node.children.values()].sort((a, b) => b.value - a.value);
    for (const child of children) {
      const room = node.value ? wide * child.value / node.value : 0;
      if (room >= 0.2 || search) draw(child, left, room, counted || isMatch);
      left += room;
    }
  };
  if (!root.value) {
    pen.fillStyle = color('soft');
    pen.fillText(say('none-here'), 8, 20);
  } else {
    above.slice(0, -1).forEach(node => draw(node, 0, width, true));
    draw(zoomed, 0, width, false);
  }
  element('found').textContent = search && zoomed.value ? `${bytes(matched)} · ${percent(matched / zoomed.value)} ${say('of-total')}` : bytes(zoomed.value);
}

// A fixed color for each name, between yellow and red.
function warm(frame) {
  const name = chosen.process.frames[frame][0];
  let sum = 7;
  for (let at = 0; at < name.length; at += 1) sum = (sum * 31 + name.charCodeAt(at)) % 9973;
  return `hsl(${18 + sum % 34} ${72 + sum % 17}% ${scheme.matches ? 58 : 68}%)`;
}

function boxAt(event) {
  const [x, y] = at(event, flame);
  return boxes.findLast(([left, top, wide]) => x >= left && x < left + Math.max(wide, 1) && y >= top && y < top + LAYER);
}

flame.addEventListener('pointermove', event => {
  const box = boxAt(event);
  under = box ? box[3] : null;
  if (!under) return hideTip();
  const place = under.frame < 0 ? '' : chosen.process.frames[under.frame][1];
  showTip(event, [nameOf(under), ...(place ? [place] : []), `${bytes(under.value)} · ${percent(under.value / root.value)} ${say('of-total')}`]);
});
flame.addEventListener('pointerleave', hideTip);
flame.addEventListener('click', event => {
  const box = boxAt(event);
  if (!box) return;
  zoomed = box[3];
  changed('look-flame');
});

listeners.push(now => {
  if (now.has('all') || now.has('range') || now.has('metric')) build();
  if (['all', 'range', 'metric', 'flame', 'look-flame'].some(what => now.has(what))) drawFlame();
  for (const button of element('metric').children) button.setAttribute('aria-pressed', button.value === chosen.metric);
});
