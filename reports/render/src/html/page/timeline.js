// The timeline: areas by family, marks on top. Drag to select a range, click to select a moment. A strip below shows the whole run.
const timeline = element('timeline'), overview = element('overview');
const LEFT = 74, TOP = 44, BOTTOM = 20, MARKS = 11, NAMES = 32;
const shown = {}, kept = new Map(); // the last answers, and charts without their cursors
let drag = null;
let marks = []; // [x, y, lines, row]

function scaleOf(canvas) {
  const [from, to] = canvas === overview ? [0, chosen.process.duration] : span();
  const width = canvas.clientWidth - LEFT - 8;
  return {
    x: ns => LEFT + (ns - from) / (to - from) * width,
    ns: x => from + Math.min(1, Math.max(0, (x - LEFT) / width)) * (to - from),
    from, to, width,
  };
}

function drawAreas(pen, data, scale, top, height) {
  const most = Math.max(1, data.most), wide = scale.width / data.count;
  for (let family = 0, below = new Float64Array(data.count); family < FAMILIES; family += 1) {
    if (chosen.hidden.has(family)) continue;
    pen.fillStyle = color(`f${family}`);
    for (let column = 0; column < data.count; column += 1) {
      const live = data.highest[column * FAMILIES + family];
      if (!live) continue;
      const [low, high] = [below[column] / most * height, (below[column] + live) / most * height];
      pen.fillRect(LEFT + column * wide, top + height - high, wide + 0.02, high - low);
      below[column] += live;
    }
  }
}

function drawTimeline() {
  const { pen, width, height } = sheet(timeline, 270);
  const scale = scaleOf(timeline), room = height - TOP - BOTTOM, data = shown.timeline;
  const most = Math.max(1, data.most);
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  for (const [value, label] of byteTicks(most, 6)) {
    const y = TOP + room - value / most * room;
    pen.fillStyle = color('line');
    pen.fillRect(LEFT, Math.round(y), scale.width, 1);
    pen.fillStyle = color('soft');
    pen.fillText(label, LEFT - 8, y);
  }
  drawAreas(pen, data, scale, TOP, room);
  pen.textAlign = 'center';
  for (const [ns, label] of timeTicks(scale.from, scale.to, Math.max(2, Math.min(8, width / 110)))) {
    pen.fillStyle = color('soft');
    const x = scale.x(ns);
    pen.fillRect(Math.round(x), height - BOTTOM, 1, 4);
    if (x < width - 26) pen.fillText(label, Math.max(x, LEFT + 14), height - 8);
  }
  drawMarks(pen, scale, height, data);
  keep(timeline);
}

function drawMarks(pen, scale, height, data) {
  const { refusals, epochs, findings } = chosen.process;
  const inside = ns => ns >= scale.from && ns <= scale.to;
  marks = [];
  pen.textAlign = 'left';
  let free = -Infinity, line = -Infinity;
  for (const [begin, end, name, kind] of epochs) {
    if (!inside(begin)) continue;
    const x = scale.x(begin);
    pen.fillStyle = color('soft');
    pen.globalAlpha = 0.55;
    // If many begin here, a line for each would hide the areas.
    if (x - line >= 7) {
      for (let y = NAMES - 6; y < height - BOTTOM; y += 6) pen.fillRect(x, y, 1, 3);
      line = x;
    }
    pen.globalAlpha = 1;
    const text = fitted(pen, name, Math.min(130, LEFT + scale.width - x));
    if (x > free && text) {
      pen.fillText(text, x + 4, NAMES);
      free = x + pen.measureText(text).width + 12;
    }
    marks.push([x, NAMES, [`${say('epoch')}: ${name}`, kind, end === null ? duration(begin) : `${duration(begin)} – ${duration(end)}`]]);
  }
  for (const { ns, size, status, device, frames } of refusals) {
    if (!inside(ns)) continue;
    const x = scale.x(ns);
    pen.strokeStyle = color('error');
    pen.lineWidth = 2;
    pen.beginPath();
    for (const sign of [-1, 1]) {
      pen.moveTo(x - 4, MARKS - 4 * sign);
      pen.lineTo(x + 4, MARKS + 4 * sign);
    }
    pen.stroke();
    const lines = [`${say('refused')}: ${bytes(size)} → ${status}`, `${duration(ns)}, ${say('device')} ${device}`];
    marks.push([x, MARKS, [...lines, ...stackLines(frames)]]);
  }
  // The most severe last, so that it is on top and comes first in the tooltip.
  for (const [ns, severity, rule, row] of [...findings].reverse()) {
    if (!inside(ns)) continue;
    const x = scale.x(ns);
    pen.fillStyle = color(severity);
    pen.beginPath();
    pen.moveTo(x - 5, MARKS - 5);
    pen.lineTo(x + 5, MARKS - 5);
    pen.lineTo(x, MARKS + 5);
    pen.fill();
    const line = `${say(severity)}: ${rule}`, same = marks.find(mark => mark[3] !== undefined && Math.abs(mark[0] - x) < 3);
    if (same) same.splice(2, 2, [line, ...same[2].slice(0, 8)], row);
    else marks.push([x, MARKS, [line, duration(ns)], row]);
  }
  const { peak, most } = data;
  if (most > 0) {
    const x = LEFT + (peak + 0.5) * scale.width / data.count;
    pen.fillStyle = color('ink');
    pen.beginPath();
    pen.arc(x, TOP, 3.5, 0, 7);
    pen.fill();
    pen.textAlign = x > scale.width - 90 ? 'right' : 'left';
    const label = `${say('peak')} ${bytes(most)}`, wide = pen.measureText(label).width + 10;
    const left = pen.textAlign === 'right' ? x - 7 - wide : x + 7;
    pen.fillStyle = color('panel');
    pen.fillRect(left, TOP + 3, wide, 17);
    pen.fillStyle = color('ink');
    pen.textAlign = 'left';
    pen.fillText(label, left + 5, TOP + 12);
  }
}

function drawCursor() {
  const pen = restored(timeline);
  if (!pen) return;
  const scale = scaleOf(timeline), height = timeline.clientHeight;
  if (drag && drag.canvas === timeline && drag.moved) {
    pen.fillStyle = color('mark');
    pen.fillRect(Math.min(drag.from, drag.to), TOP, Math.abs(drag.to - drag.from), height - TOP - BOTTOM);
  }
  if (chosen.moment >= scale.from && chosen.moment <= scale.to) {
    pen.fillStyle = color('accent');
    pen.fillRect(scale.x(chosen.moment) - 0.75, TOP - 4, 1.5, height - TOP - BOTTOM + 8);
  }
}

function drawOverview() {
  const { pen, height } = sheet(overview, 34);
  const scale = scaleOf(overview);
  pen.fillStyle = color('shade');
  pen.fillRect(LEFT, 0, scale.width, height);
  pen.globalAlpha = 0.75;
  drawAreas(pen, shown.overview, scale, 3, height - 3);
  pen.globalAlpha = 1;
  keep(overview);
}

function drawWindow() {
  const pen = restored(overview);
  if (!pen) return;
  const scale = scaleOf(overview), height = overview.clientHeight;
  const window = drag && drag.canvas === overview && drag.moved ? [scale.ns(Math.min(drag.from, drag.to)), scale.ns(Math.max(drag.from, drag.to))] : chosen.range;
  if (window) {
    const [a, b] = window.map(scale.x);
    pen.fillStyle = color('mark');
    pen.fillRect(a, 0, b - a, height);
    pen.fillStyle = color('accent');
    pen.fillRect(a - 1, 0, 2, height);
    pen.fillRect(b - 1, 0, 2, height);
  }
}

// A chart without its cursor, so that moving one costs a copy.
function keep(canvas) {
  const copy = kept.get(canvas) || document.createElement('canvas');
  kept.set(canvas, copy);
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext('2d').drawImage(canvas, 0, 0);
}

function restored(canvas) {
  if (!kept.has(canvas)) return null;
  const pen = canvas.getContext('2d');
  pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  pen.drawImage(kept.get(canvas), 0, 0, canvas.clientWidth, canvas.clientHeight);
  return pen;
}

function drawClock() {
  const [from, to] = span();
  const at = `${duration(chosen.moment)} · `;
  element('moment').value = Math.round((chosen.moment - from) / (to - from) * 1e6);
  element('moment').setAttribute('aria-valuetext', duration(chosen.moment));
  element('range').textContent = chosen.range ? `${say('range')}: ${chosen.range.map(duration).join(' – ')}` : '';
  element('clear').disabled = !chosen.range;
  ask('clock', 'live', chosen.moment, live => {
    element('clock').textContent = `${at}${bytes(live.reduce((sum, one) => sum + one, 0))} ${say('live')}`;
  });
}

function askColumns(canvas, name) {
  const { from, to, width } = scaleOf(canvas);
  ask(name, 'columns', { from, to, count: Math.max(1, Math.floor(width)), hidden: [...chosen.hidden] }, data => {
    data.most = data.best.reduce((most, one) => Math.max(most, one), 0);
    data.peak = data.best.indexOf(data.most);
    shown[name] = { ...data, process: chosen.process };
    changed(name);
  });
}

// Whether the answer at hand is about what is shown: after a change of width or color it can be drawn again at once.
const isShown = (name, [from, to]) => shown[name] && shown[name].process === chosen.process && shown[name].from === from && shown[name].to === to;

listeners.push(now => {
  const isAll = now.has('all');
  if (isAll || now.has('range') || now.has('legend')) askColumns(timeline, 'timeline');
  if (isAll || now.has('legend')) askColumns(overview, 'overview');
  if ((isAll || now.has('timeline')) && isShown('timeline', span())) drawTimeline();
  if ((isAll || now.has('overview')) && isShown('overview', [0, chosen.process.duration])) drawOverview();
  if (['all', 'timeline', 'moment', 'drag', 'range'].some(what => now.has(what))) drawCursor();
  if (['all', 'overview', 'drag', 'range'].some(what => now.has(what))) drawWindow();
  if (['all', 'moment', 'range'].some(what => now.has(what))) drawClock();
});

function choose(from, to) {
  chosen.range = from === null ? null : [from, to];
  const [first, last] = span();
  chosen.moment = Math.min(last, Math.max(first, chosen.moment));
  changed('range');
}
