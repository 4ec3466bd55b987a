// The icicle graph: callers above, the allocating call at the tip. Widths are bytes of the selected metric in the selected time range.
const flame = element('flame');
const LAYER = 19;
let graph = null, zoomed = 0, boxes = [], under = -1;

function askFlame() {
  const { metric, range } = chosen;
  ask('flame', 'flame', { metric, range }, answer => {
    graph = { ...answer, process: chosen.process };
    zoomed = 0;
    changed('tree');
  });
}

const nameOf = node => graph.frame[node] < 0 ? say('total') : chosen.process.frames[graph.frame[node]][0];

// Functions that the search finds, by frame.
function found(search) {
  return search ? chosen.process.frames.map(([name]) => name.toLowerCase().includes(search)) : [];
}

function drawFlame() {
  const { frame, value, depth, parent, end } = graph, above = [];
  for (let node = zoomed; node >= 0; node = parent[node]) above.unshift(node);
  let deepest = 2;
  for (let node = zoomed; node < end[zoomed]; node += 1) deepest = Math.max(deepest, depth[node]);
  const { pen, width } = sheet(flame, (deepest + 1) * LAYER + 2);
  const search = chosen.search.toLowerCase(), matches = found(search);
  boxes = [];
  let matched = 0;
  pen.textBaseline = 'middle';
  const draw = (node, x, wide, counted) => {
    const isMatch = matches[frame[node]] === true;
    if (isMatch && !counted) matched += value[node];
    if (wide >= 0.4) {
      const y = depth[node] * LAYER;
      pen.globalAlpha = search && !isMatch ? 0.4 : 1;
      pen.fillStyle = frame[node] < 0 ? color('line') : isMatch ? color('accent') : warm(frame[node]);
      pen.fillRect(x, y, Math.max(wide - 0.7, 0.4), LAYER - 1);
      pen.globalAlpha = 1;
      const label = fitted(pen, nameOf(node), wide - 8);
      if (label) {
        pen.fillStyle = frame[node] < 0 ? color('ink') : isMatch ? color('panel') : '#1d1408';
        pen.fillText(label, x + 4, y + LAYER / 2);
      }
      boxes.push([x, y, wide, node]);
    }
    if (depth[node] < depth[zoomed]) return;
    for (let child = node + 1, left = x; child < end[node]; child = end[child]) {
      const room = value[node] ? wide * value[child] / value[node] : 0;
      if (room >= 0.2 || search) draw(child, left, room, counted || isMatch);
      left += room;
    }
  };
  if (!value[0]) {
    pen.fillStyle = color('soft');
    pen.fillText(say('none-here'), 8, 20);
  } else {
    above.slice(0, -1).forEach(node => draw(node, 0, width, true));
    draw(zoomed, 0, width, false);
  }
  element('found').textContent = search && value[zoomed] ? `${bytes(matched)} · ${percent(matched / value[zoomed])} ${say('of-total')}` : bytes(value[zoomed]);
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
  under = box ? box[3] : -1;
  if (under < 0) return hideTip();
  const frame = graph.frame[under], place = frame < 0 ? '' : chosen.process.frames[frame][1];
  showTip(event, [nameOf(under), ...(place ? [place] : []), `${bytes(graph.value[under])} · ${percent(graph.value[under] / graph.value[0])} ${say('of-total')}`]);
});
flame.addEventListener('pointerleave', hideTip);
flame.addEventListener('click', event => {
  const box = boxAt(event);
  if (!box) return;
  zoomed = box[3];
  changed('look-flame');
});

listeners.push(now => {
  if (['all', 'range', 'metric'].some(what => now.has(what))) askFlame();
  if (graph && graph.process === chosen.process && ['all', 'tree', 'flame', 'look-flame'].some(what => now.has(what))) drawFlame();
  for (const button of element('metric').children) button.setAttribute('aria-pressed', button.value === chosen.metric);
});
