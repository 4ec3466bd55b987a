// The current selection, questions to the worker, and the listeners that redraw when something changes.
const chosen = { process: null, range: null, moment: 0, space: 0, color: 'stack', metric: 'peak', search: '', hidden: new Set(), block: null };
const LIVE = 0, FAMILIES = 10, METRICS = ['live', 'leaked', 'allocated', 'peak'];
const span = () => chosen.range || [0, chosen.process.duration];

let port = null, asked = 0;
const waiting = new Map(), lanes = new Map();

// Starts the worker from this script's own text: the page is one file, and its policy allows no other source. Where a browser refuses, the
// same code runs in the page.
function connect() {
  return new Promise(done => {
    const here = () => {
      const channel = new MessageChannel();
      engine(channel.port1);
      done(channel.port2);
    };
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([`'use strict';(${engine})(self)`], { type: 'text/javascript' })));
      worker.onmessage = () => done(worker);
      worker.onerror = here;
    } catch {
      here();
    }
  }).then(found => {
    port = found;
    port.onmessage = ({ data: { id, answer, error } }) => {
      const take = waiting.get(id);
      waiting.delete(id);
      if (take) take(answer, error);
    };
  });
}

// One question at a time in each lane: while one is answered, only the newest of the others is kept. Answers about a process that is no
// longer shown are dropped.
function ask(lane, what, about, take) {
  const state = lanes.get(lane) || { isBusy: false, next: null };
  lanes.set(lane, state);
  state.next = { what, about, take, process: chosen.process };
  if (!state.isBusy) send(state);
  busy();
}

function send(state) {
  const { what, about, take, process } = state.next;
  Object.assign(state, { isBusy: true, next: null });
  asked += 1;
  waiting.set(asked, (answer, error) => {
    state.isBusy = false;
    if (process === chosen.process && error === undefined) take(answer);
    if (state.next) send(state);
    busy();
  });
  port.postMessage({ id: asked, what, index: process ? process.index : -1, asked: about });
}

// Asks once, whatever is shown by then.
function askOnce(what, index, about) {
  return new Promise((done, failed) => {
    asked += 1;
    waiting.set(asked, (answer, error) => error === undefined ? done(answer) : failed(new Error(error)));
    port.postMessage({ id: asked, what, index, asked: about });
  });
}

// A reader of the screen, and tests, know when the drawings are complete.
function busy() {
  element('drawings').setAttribute('aria-busy', waiting.size > 0 || pending.size > 0 || !chosen.process);
}

// `what` is `moment`, `range`, `look` (of one drawing), `all`, or the answer that came. One frame draws everything that changed since the last,
// but only one answer: each is a drawing, and all of them in one frame would be a long task.
const listeners = [];
const pending = new Set(), ANSWERS = ['timeline', 'overview', 'map', 'tree'];
function changed(what) {
  if (pending.size === 0) requestAnimationFrame(drawPending);
  pending.add(what);
  busy();
}

function drawPending() {
  const [, ...later] = ANSWERS.filter(answer => pending.has(answer));
  const now = new Set([...pending].filter(what => !later.includes(what)));
  for (const what of now) pending.delete(what);
  if (pending.size > 0) requestAnimationFrame(drawPending);
  draw(now);
  busy();
}

function draw(now) {
  if (chosen.process) for (const listen of listeners) listen(now);
}
