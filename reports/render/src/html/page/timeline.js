// The timeline: areas by family, marks on top. Drag to select a range, click to select a moment. A strip below shows the whole run.
const timeline = element('timeline'), overview = element('overview');
const LEFT = 74, TOP = 44, BOTTOM = 20, MARKS = 11, NAMES = 32;
const drawn = document.createElement('canvas'); // the chart without its cursor
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
  const most = Math.max(1, ...data.best);
  data.highest.forEach((live, column) => {
    let below = 0;
    for (let family = 0; live && family < FAMILIES; family += 1) {
      if (chosen.hidden.has(family) || !live[family]) continue;
      const [low, high] = [below / most * height, (below + live[family]) / most * height];
      pen.fillStyle = color(`f${family}`);
      pen.fillRect(LEFT + column, top + height - high, 1.02, high - low);
      below += live[family];
    }
  });
  return most;
}

function drawTimeline() {
  const { pen, width, height } = sheet(timeline, 270);
  const scale = scaleOf(timeline), room = height - TOP - BOTTOM;
  const data = columns(chosen.process, span(), Math.max(1, Math.floor(scale.width)));
  const most = Math.max(1, ...data.best);
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  for (const value of ticks(most, 6, 2)) {
    const y = TOP + room - value / most * room;
    pen.fillStyle = color('line');
    pen.fillRect(LEFT, Math.round(y), scale.width, 1);
    pen.fillStyle = color('soft');
    pen.fillText(bytes(value), LEFT - 8, y);
  }
  drawAreas(pen, data, scale, TOP, room);
  pen.textAlign = 'center';
  for (const value of ticks(scale.to - scale.from, Math.max(2, Math.min(8, width / 110)), 10)) {
    pen.fillStyle = color('soft');
    const x = scale.x(scale.from + value);
    if (x < width - 30) pen.fillText(duration(scale.from + value), Math.max(x, LEFT + 14), height - 8);
  }
  drawMarks(pen, scale, height, data);
  [drawn.width, drawn.height] = [timeline.width, timeline.height];
  drawn.getContext('2d').drawImage(timeline, 0, 0);
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
  for (const [ns, size, status, device, stack] of refusals) {
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
    marks.push([x, MARKS, [...lines, ...stackLines(chosen.process, stack)]]);
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
  let peak = 0;
  data.best.forEach((total, column) => {
    if (total > data.best[peak]) peak = column;
  });
  if (data.best[peak] > 0) {
    const x = LEFT + peak + 0.5;
    pen.fillStyle = color('ink');
    pen.beginPath();
    pen.arc(x, TOP, 3.5, 0, 7);
    pen.fill();
    pen.textAlign = x > scale.width - 90 ? 'right' : 'left';
    const label = `${say('peak')} ${bytes(data.best[peak])}`, wide = pen.measureText(label).width + 10;
    const left = pen.textAlign === 'right' ? x - 7 - wide : x + 7;
    pen.fillStyle = color('panel');
    pen.fillRect(left, TOP + 3, wide, 17);
    pen.fillStyle = color('ink');
    pen.textAlign = 'left';
    pen.fillText(label, left + 5, TOP + 12);
  }
}

function drawCursor() {
  const pen = timeline.getContext('2d');
  pen.clearRect(0, 0, timeline.clientWidth, timeline.clientHeight);
  pen.drawImage(drawn, 0, 0, timeline.clientWidth, timeline.clientHeight);
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
  drawAreas(pen, columns(chosen.process, [0, chosen.process.duration], Math.max(1, Math.floor(scale.width))), scale, 3, height - 3);
  pen.globalAlpha = 1;
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

function drawClock() {
  const live = liveAt(chosen.process, chosen.moment);
  element('clock').textContent = `${duration(chosen.moment)} · ${bytes(live.reduce((sum, one) => sum + one, 0))} ${say('live')}`;
  const [from, to] = span();
  element('moment').value = Math.round((chosen.moment - from) / (to - from) * 1e6);
  element('moment').setAttribute('aria-valuetext', duration(chosen.moment));
  element('range').textContent = chosen.range ? `${say('range')}: ${chosen.range.map(duration).join(' – ')}` : '';
  element('clear').disabled = !chosen.range;
}

listeners.push(now => {
  if (now.has('all') || now.has('range') || now.has('legend')) {
    drawTimeline();
    drawOverview();
  }
  if (now.has('drag')) drawOverview();
  drawCursor();
  drawClock();
});

function choose(from, to) {
  chosen.range = from === null ? null : [from, to];
  const [first, last] = span();
  chosen.moment = Math.min(last, Math.max(first, chosen.moment));
  changed('range');
}
