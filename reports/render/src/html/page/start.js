// Connects the controls, unpacks the data, and draws for the first time.
let families = [], choices = [];

function follow(canvas) {
  canvas.addEventListener('pointerdown', event => {
    const [x] = at(event, canvas);
    canvas.setPointerCapture(event.pointerId);
    drag = { canvas, from: x, to: x, moved: false };
  });
  canvas.addEventListener('pointermove', event => {
    const [x, y] = at(event, canvas);
    if (drag && drag.canvas === canvas) {
      drag.to = Math.min(canvas.clientWidth - 8, Math.max(LEFT, x));
      drag.moved = drag.moved || Math.abs(drag.to - drag.from) > 4;
      changed('drag');
    }
    pointAt(event, canvas, x, y);
  });
  canvas.addEventListener('pointerup', event => {
    if (!drag) return;
    const scale = scaleOf(canvas), { from, to, moved } = drag;
    drag = null;
    if (moved) return choose(scale.ns(Math.min(from, to)), scale.ns(Math.max(from, to)));
    const mark = canvas === timeline && markAt(...at(event, canvas));
    if (mark && mark.length > 3) reveal(`finding-${mark[3]}`);
    chosen.moment = scale.ns(from);
    if (canvas === overview && chosen.range) choose(null);
    changed('moment');
  });
  canvas.addEventListener('pointerleave', () => {
    over = null;
    hideTip();
  });
  canvas.addEventListener('dblclick', () => choose(null));
}

const markAt = (x, y) => y > TOP - 2 ? undefined : marks.findLast(mark => Math.abs(mark[0] - x) < 7 && Math.abs(mark[1] - y) < 12);

let over = null; // the last place of the pointer over a chart
function pointAt(event, canvas, x, y) {
  over = event;
  const mark = canvas === timeline && markAt(x, y);
  if (mark) return showTip(event, mark[2]);
  const ns = scaleOf(canvas).ns(x);
  ask('hover', 'live', ns, live => {
    if (over !== event) return;
    const lines = [...live].map((count, family) => [count, families[family]]).filter(([count]) => count > 0);
    const total = lines.reduce((sum, [count]) => sum + count, 0);
    showTip(event, [`${duration(ns)} · ${bytes(total)}`, ...lines.map(([count, family]) => `${family}: ${bytes(count)}`)]);
  });
}

function button(text, value, press) {
  const made = document.createElement('button');
  Object.assign(made, { type: 'button', value, onclick: press });
  made.append(...text);
  return made;
}

function legend() {
  const buttons = chosen.process.used.map(family => {
    const dot = document.createElement('i');
    dot.style.background = color(`f${family}`);
    const made = button([dot, families[family]], family, () => {
      if (!chosen.hidden.delete(family)) chosen.hidden.add(family);
      changed('legend');
    });
    made.setAttribute('aria-pressed', !chosen.hidden.has(family));
    return made;
  });
  element('legend').replaceChildren(...buttons);
}

function options(select, texts) {
  select.replaceChildren(...texts.map((text, value) => new Option(text, value)));
}

function spaceNames() {
  const shown = element('space').value;
  options(element('space'), chosen.process.spaces.map(({ device, name, page }) => `${say('device')} ${device} · ${name}${page ? ` ${say('page')}` : ''}`));
  element('space').value = shown || chosen.space;
}

async function show(index) {
  const process = await askOnce('open', index);
  Object.assign(chosen, { process, range: null, moment: process.moment, space: process.space, block: null });
  // Leaks first: they are why most people look.
  chosen.metric = process.leaks ? 'leaked' : 'peak';
  element('space').value = '';
  element('map-panel').hidden = process.spaces.length === 0;
  element('flame-panel').hidden = process.frames.length === 0;
  if (choices.length === 1) element('program').textContent = process.name || element('program').textContent;
  document.documentElement.classList.add('ready');
  changed('all');
}

function wire(data) {
  families = data.families;
  choices = data.processes;
  follow(timeline);
  follow(overview);
  timeline.addEventListener('keydown', event => {
    const [from, to] = span(), step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') choose(null);
    if (!step) return;
    chosen.moment = Math.min(to, Math.max(from, chosen.moment + step * (to - from) / (event.shiftKey ? 20 : 400)));
    event.preventDefault();
    changed('moment');
  });
  const on = (id, kind, what, take) => element(id).addEventListener(kind, event => {
    take(event.target.value);
    changed(what);
  });
  on('moment', 'input', 'moment', value => {
    const [from, to] = span();
    chosen.moment = from + (to - from) * value / 1e6;
  });
  on('space', 'change', 'space', value => { chosen.space = Number(value); });
  on('color', 'change', 'look', value => { chosen.color = value; });
  on('search', 'input', 'flame', value => { chosen.search = value; });
  on('process', 'change', 'all', value => show(Number(value)));
  element('clear').addEventListener('click', () => choose(null));
  listeners.unshift(now => {
    if (!now.has('all') && !now.has('legend')) return;
    legend();
    spaceNames();
    const choices = METRICS.map(metric => button([say(metric === 'live' ? 'live-at-end' : metric)], metric, () => {
      chosen.metric = metric;
      changed('metric');
    }));
    element('metric').replaceChildren(...choices);
  });
  // An observer reports once at the start, when nothing has changed.
  let width = element('drawings').clientWidth;
  new ResizeObserver(() => {
    const now = element('drawings').clientWidth;
    if (now !== width) changed('all');
    width = now;
  }).observe(element('drawings'));
  // Those that stand out first.
  const names = choices.map(({ process, name, odd }, index) => [odd, new Option(`${odd ? '▲ ' : ''}${process} ${name || ''}`, index)]);
  element('process').replaceChildren(...names.sort(([a], [b]) => b - a).map(([, option]) => option));
  element('process-choice').hidden = data.processes.length < 2;
}

speak();
connect().then(() => askOnce('load', -1, element('data').textContent.trim())).then(data => {
  element('drawings').hidden = data.processes.length === 0;
  element('data').remove();
  if (data.processes.length === 0) return null;
  wire(data);
  return show(Number(element('process').value));
}).catch(error => {
  const note = document.createElement('p');
  note.className = 'lead';
  note.textContent = `${say('no-data')} (${error.message})`;
  document.querySelector('main').prepend(note);
});
