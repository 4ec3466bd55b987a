// Asserts that a page about two million events stays smooth while the worker does what is long: no task of the page's main thread takes
// 50 ms, and none during a drag 33 ms.
//
// node tests/browser/smooth.mjs TOOLS PAGE: the folder that .ci/browser prints, and the page about train.c compiled with -DSTEPS=500.
//
// Times of tasks are the thread's own processor time, from the browser's trace: other programs on the machine do not count. The time between
// frames is the clock's; nine of ten frames must be below the limit. A guest of a busy host pays for its neighbors in processor time, too: what
// misses a limit is done again, up to three times in all, and the least time of each step counts. On a core slower than the one for which the
// limits are meant, by the time of a fixed loop, they are longer in proportion.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const TASK = 50, FRAME = 33, PASSES = 3;
const LOOP = 53; // milliseconds of the loop on a core of an AMD EPYC (Zen 4), in a virtual machine
const [tools, file] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(`${tools}/package.json`)('playwright-core');

// One session of a user, and what each of its steps took.
async function pass() {
  const browser = await chromium.launch({ executablePath: `${tools}/chromium`, args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1360, height: 1000 }, offline: true, locale: 'en-GB' });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.intervals = [];
    let last = 0;
    const frame = now => {
      window.intervals.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });

  // The page is complete when the worker has answered everything.
  const settled = () => page.evaluate(async () => {
    const frame = () => new Promise(done => requestAnimationFrame(done));
    do await frame(); while (document.getElementById('drawings').getAttribute('aria-busy') === 'true');
    await frame();
  });
  const steps = [];
  const mark = name => page.evaluate(name => performance.mark(name), name);

  // Does something, and remembers when it began and ended.
  async function step(name, limit, act) {
    await mark(`begin ${name}`);
    await page.evaluate(() => window.intervals.splice(0));
    const begun = Date.now();
    await act();
    await settled();
    const intervals = await page.evaluate(() => window.intervals.slice(1).sort((a, b) => a - b));
    await mark(`end ${name}`);
    steps.push({ name, limit, took: Date.now() - begun, intervals });
  }

  async function drag(id, from, to) {
    const canvas = page.locator(`#${id}`);
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const at = share => page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
    await at(from);
    await page.mouse.down();
    for (let step = 1; step <= 40; step += 1) await at(from + (to - from) * step / 40);
  }

  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'blink.user_timing'] });
  await page.goto(pathToFileURL(file).href);
  await page.locator('#drawings').waitFor();
  await settled();
  await mark('end opening');
  await step('drag over the timeline', FRAME, () => drag('timeline', 0.2, 0.6));
  await step('end of that drag', TASK, () => page.mouse.up());
  await step('drag over the whole run', FRAME, () => drag('overview', 0.3, 0.9));
  await step('end of that drag too', TASK, () => page.mouse.up());
  await step('whole run', TASK, () => page.locator('#clear').click());
  await step('slider', FRAME, () => page.evaluate(async () => {
    const moment = document.getElementById('moment');
    for (let at = 0; at <= 100; at += 1) {
      moment.value = at * 10000;
      moment.dispatchEvent(new Event('input'));
      await new Promise(done => requestAnimationFrame(done));
    }
  }));
  await step('pointer over the map', FRAME, async () => {
    const map = page.locator('#map');
    await map.scrollIntoViewIfNeeded();
    const box = await map.boundingBox();
    for (let step = 0; step < 40; step += 1) await page.mouse.move(box.x + step / 40 * box.width, box.y + step / 40 * box.height);
  });
  for (const metric of ['live', 'allocated', 'peak', 'leaked']) await step(metric, TASK, () => page.locator(`#metric button[value=${metric}]`).click());
  await step('search', TASK, () => page.locator('#search').fill('forward'));
  await step('filter', TASK, () => page.locator('input[data-of=findings]').fill('take'));
  await step('language', TASK, () => page.locator('#language').click());
  await step('loop', Infinity, () => page.evaluate(() => {
    let sum = 0;
    for (let at = 0; at < 1e7; at += 1) sum = (sum * 31 + at) | 0;
    return sum;
  }));
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  await browser.close();

  const marks = new Map(traceEvents.filter(event => /blink\.user_timing/.test(event.cat)).map(event => [event.name, event]));
  // Tasks of the empty page before this one are not counted.
  const opened = traceEvents.find(event => event.name === 'navigationStart' && event.args.data?.documentLoaderURL?.startsWith('file:'));
  const { pid, tid } = marks.get('end opening');
  const tasks = traceEvents.filter(event => event.ph === 'X' && event.pid === pid && event.tid === tid && event.name === 'ThreadControllerImpl::RunTask');
  assert.ok(tasks.length > 100 && tasks.some(task => task.tdur > 0), 'the trace has tasks and their processor time');
  return [{ name: 'opening', limit: TASK, took: 0, intervals: [] }, ...steps].map(({ name, limit, took, intervals }) => {
    const begin = (marks.get(`begin ${name}`) ?? opened).ts, end = marks.get(`end ${name}`).ts;
    const within = tasks.filter(task => task.ts >= begin && task.ts < end);
    const longest = of => Math.max(0, ...within.map(of)) / 1000;
    const task = longest(task => task.tdur ?? task.dur), clock = longest(task => task.dur), ninth = intervals[Math.floor(intervals.length * 0.9)] ?? 0;
    console.log(`${name}: ${took} ms, longest task ${task.toFixed(1)} ms (${clock.toFixed(1)} ms by the clock), of ${intervals.length} frames nine in ten below ${ninth.toFixed(1)} ms`);
    return { name, limit, task, ninth };
  });
}

let least = await pass(), failures = [];
for (let passes = 1; ; passes += 1) {
  const slower = Math.max(1, least.find(step => step.name === 'loop').task / LOOP);
  failures = least.flatMap(({ name, limit, task, ninth }) => [
    ...task >= limit * slower ? [`${name}: a task of ${task} ms on the main thread, and a core ${slower.toFixed(2)} times slower`] : [],
    ...limit === FRAME && ninth > FRAME * slower + 1 ? [`${name}: a frame takes ${ninth} ms`] : [],
  ]);
  if (failures.length === 0 || passes === PASSES) break;
  console.log(`again: ${failures.join('; ')}`);
  const again = await pass();
  least = least.map((step, at) => ({ ...step, task: Math.min(step.task, again[at].task), ninth: Math.min(step.ninth, again[at].ninth) }));
}
assert.deepEqual(failures, []);
console.log('ok');
