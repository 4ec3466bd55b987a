// Asserts that a page about two million events stays smooth: no task of its main thread is longer than 50 ms, and no frame of a drag takes
// 33 ms, while the worker does what is long.
//
// node tests/browser/smooth.mjs TOOLS PAGE: the folder that .ci/browser prints, and the page about train.c compiled with -DSTEPS=500.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, file] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(`${tools}/package.json`)('playwright-core');
const browser = await chromium.launch({ executablePath: `${tools}/chromium`, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1360, height: 1000 }, offline: true, locale: 'en-GB' });
const page = await context.newPage();
// Long tasks, by the browser's own account, and the time between frames.
await page.addInitScript(() => {
  window.tasks = [];
  window.frames_ = [];
  new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(task => [task.startTime, task.duration]))).observe({ type: 'longtask', buffered: true });
  let last = 0;
  const frame = now => {
    window.frames_.push([now, now - last]);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
});

const settled = () => page.evaluate(async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  do await frame(); while (document.getElementById('drawings').getAttribute('aria-busy') !== 'false');
  await frame();
});

// What happened during `act`: the longest task and the longest frame, in milliseconds.
async function during(name, act) {
  await page.evaluate(() => window.tasks.splice(0) && window.frames_.splice(0));
  const begun = Date.now();
  await act();
  await settled();
  const [task, frame, count] = await page.evaluate(() => {
    const most = all => Math.max(0, ...all.map(([, duration]) => duration));
    return [most(window.tasks), most(window.frames_.slice(1)), window.frames_.length];
  });
  console.log(`${name}: ${Date.now() - begun} ms, longest task ${task ? task.toFixed(0) : 'below 50'} ms, longest of ${count} frames ${frame.toFixed(1)} ms`);
  return { task, frame };
}

async function drag(id, from, to) {
  const canvas = page.locator(`#${id}`);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + from * box.width, box.y + box.height / 2);
  await page.mouse.down();
  for (let step = 1; step <= 40; step += 1) await page.mouse.move(box.x + (from + (to - from) * step / 40) * box.width, box.y + box.height / 2);
}

const results = [];
const expect = async (name, act, frames = Infinity) => results.push({ name, frames, ...await during(name, act) });

await page.goto(pathToFileURL(file).href);
await page.locator('#drawings').waitFor();
await settled();
const opening = await page.evaluate(() => Math.max(0, ...window.tasks.map(([, duration]) => duration)));
console.log(`opening: longest task ${opening ? opening.toFixed(0) : 'below 50'} ms`);
results.push({ name: 'opening', task: opening, frame: 0, frames: Infinity });
await expect('drag', () => drag('timeline', 0.2, 0.6), 33);
await expect('release of the drag', () => page.mouse.up());
await expect('drag of the strip', () => drag('overview', 0.3, 0.9), 33);
await expect('release of that drag', () => page.mouse.up());
await expect('whole run', () => page.locator('#clear').click());
await expect('slider', () => page.evaluate(async () => {
  const moment = document.getElementById('moment');
  for (let at = 0; at <= 100; at += 1) {
    moment.value = at * 10000;
    moment.dispatchEvent(new Event('input'));
    await new Promise(done => requestAnimationFrame(done));
  }
}), 33);
await expect('pointer over the map', async () => {
  const map = page.locator('#map');
  await map.scrollIntoViewIfNeeded();
  const box = await map.boundingBox();
  for (let step = 0; step < 40; step += 1) await page.mouse.move(box.x + step / 40 * box.width, box.y + step / 40 * box.height);
}, 33);
for (const metric of ['live', 'allocated', 'peak', 'leaked']) await expect(metric, () => page.locator(`#metric button[value=${metric}]`).click());
await expect('search', () => page.locator('#search').fill('forward'));
await expect('filter', () => page.locator('input[data-of=findings]').fill('take'));
await expect('language', () => page.locator('#language').click());
await browser.close();
for (const { name, task, frame, frames } of results) {
  assert.ok(task <= 50, `${name}: a task of ${task} ms on the main thread`);
  assert.ok(frame < frames, `${name}: a frame of ${frame} ms`);
}
console.log('ok');
