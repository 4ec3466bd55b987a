// Drives a page of `aclsan report --html` in a real browser, as a person would, and asserts what they would see.
//
// node tests/browser/page.mjs TOOLS PAGE PICTURES SMALL CHINESE ENGLISH TWO: the folder that .ci/browser prints, the page about train.c, a folder
// for screenshots, the same page made with `--max-html-size 300KiB`, with `--lang zh`, with `--lang en`,
// and one about two runs of it.
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, file, pictures, small, asked, english, two] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(`${tools}/package.json`)('playwright-core');
mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath: `${tools}/chromium`, args: ['--no-sandbox'] });
const address = pathToFileURL(file).href;

// Opens the page; any network request or console error is a failure.
async function open(options, where = address) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 1000 }, offline: true, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('console', message => wrong.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => wrong.push(String(error)));
  page.on('request', request => request.url() === where || request.url() === 'data:,' || request.url().startsWith('blob:') || wrong.push(request.url()));
  await page.goto(where);
  return { page, wrong, close: () => context.close() };
}

const text = (page, id) => page.locator(`#${id}`).innerText();
const hash = (page, id) => page.evaluate(id => document.getElementById(id).toDataURL(), id);
// What changed is asked of the worker in the next frame, and drawn when it has answered.
const settled = page => page.evaluate(async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  do await frame(); while (document.getElementById('drawings').getAttribute('aria-busy') === 'true');
  await frame();
});

async function pointed(page, id, x, y) {
  const canvas = page.locator(`#${id}`);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await settled(page);
  return (await page.locator('#tip').isVisible()) ? text(page, 'tip') : '';
}

async function drag(page, id, from, to) {
  const canvas = page.locator(`#${id}`);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + from * box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await settled(page);
}

const { page, wrong, close } = await open({});
await page.locator('#drawings').waitFor();
await settled(page);
await page.screenshot({ path: `${pictures}/light.png`, fullPage: true });

assert.equal(page.workers().length, 1, 'what looks at each block runs in a worker');

// Hover: the timeline shows families, the map a block and its stack, the flame graph a function.
assert.match(await pointed(page, 'timeline', 0.5, 0.6), /device: .* MiB/);
let hovered = '';
// Refused allocations and findings are along the upper edge, epochs below them.
for (const [mark, from, to, y] of [[/^refused: [0-9.]+ PiB → 207001/, 0.08, 0.6, 0.04], [/^epoch: step \d+/, 0.08, 0.3, 0.12], [/^error: double-free/, 0.6, 1, 0.04]]) {
  let tip = '';
  for (let x = from; x < to && !mark.test(tip); x += 0.004) tip = await pointed(page, 'timeline', x, y);
  assert.match(tip, mark);
}
for (let x = 0.01; x < 1 && !hovered.includes('main'); x += 0.02) hovered = await pointed(page, 'map', x, 0.1);
assert.match(hovered, /0x[0-9a-f]+[^]*thread[^]*aclrtMalloc[^]*main/);
await page.screenshot({ path: `${pictures}/hover.png` });
assert.match(await pointed(page, 'flame', 0.3, 0.02), /total[^]*%/);

// Scrubbing through all events stays smooth: the slider to a hundred places, each drawn.
const frames = await page.evaluate(async () => {
  const moment = document.getElementById('moment'), times = [];
  for (let at = 0; at <= 100; at += 1) {
    const begun = performance.now();
    moment.value = at * 10000;
    moment.dispatchEvent(new Event('input'));
    await new Promise(done => requestAnimationFrame(done));
    await new Promise(done => { const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); });
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b);
});
console.log(`scrub: median ${frames[50].toFixed(1)} ms, 95th percentile ${frames[95].toFixed(1)} ms, worst ${frames[100].toFixed(1)} ms`);
assert.ok(frames[50] < 100, `a frame takes ${frames[50]} ms`);
await page.locator('#moment').fill('500000');
await settled(page);
const before = await hash(page, 'map');
await page.locator('#moment').fill('0');
await settled(page);
assert.match(await text(page, 'clock'), /^0 ns/);
assert.notEqual(await hash(page, 'map'), before, 'the map follows the moment');
await page.locator('#moment').fill('500000');

// It opens at leaks, since there are some.
assert.equal(await page.locator('#metric [aria-pressed=true]').getAttribute('value'), 'leaked');
// Findings and leaks come before the drawings, under the verdict and what the log knows of the run.
assert.deepEqual(await page.locator('main h2').evaluateAll(all => all.map(one => one.dataset.t)), ['findings', 'leaks', 'timeline', 'map', 'flame', 'rest']);
assert.match(await text(page, 'about'), /Errors were found\.\s+recorded\s+20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\s+host\s+\S+\s+SoC\s+Ascend/);
assert.doesNotMatch(await page.locator('body').innerText(), /`/, 'backticks are markup');
// A row leads to its moment and its block, and the block back to the row.
const release = page.locator('#findings tr', { hasText: 'double-free' });
await release.locator('summary').first().click();
await release.locator('[data-go=map]').click();
await settled(page);
assert.match(await text(page, 'picked'), /double-free/);
assert.match(await text(page, 'clock'), /^7\d\.\d ms|^[\d.]+ m?s/);
await page.locator('#picked a', { hasText: 'double-free' }).click();
assert.ok(await release.evaluate(row => row.classList.contains('chosen')));
const leak = page.locator('#leaks tbody tr').first();
await leak.locator('summary').first().click();
await leak.locator('[data-go=timeline]').click();
await settled(page);
assert.match(await text(page, 'picked'), /its row under Leaks/);
await leak.locator('a', { hasText: 'its finding' }).click();
// The leak is a consequence of a finding about the same place.
assert.match(await page.locator('tr.chosen').textContent(), /leak-growing[^]*consequences[^]*never released/);
await page.locator('#moment').fill('500000');
await settled(page);

// Each kind of bytes, and the search in it.
const kinds = {};
for (const metric of ['live', 'leaked', 'allocated', 'peak']) {
  await page.locator(`#metric button[value=${metric}]`).click();
  await settled(page);
  kinds[metric] = await text(page, 'found');
}
// The last reset released everything.
assert.equal(kinds.live, '0 B');
assert.equal(kinds.leaked, await page.locator('.card', { hasText: 'never released' }).locator('b').innerText());
await page.locator('#search').fill('load_weights');
await settled(page);
assert.match(await text(page, 'found'), /MiB · [0-9.]+ % of the total/);
await page.locator('#search').fill('');
await page.locator('#flame').click({ position: { x: 100, y: 104 } });
await settled(page);
const zoomed = await text(page, 'found');
assert.notEqual(zoomed, kinds.peak, 'a click zooms');
await page.locator('#flame').click({ position: { x: 100, y: 5 } });
await settled(page);
assert.equal(await text(page, 'found'), kinds.peak, 'a click on the top goes back');

// A stretch of time filters all of it.
await page.locator('#metric button[value=allocated]').click();
await settled(page);
const rows = await page.locator('#findings tbody tr:visible').count();
await drag(page, 'timeline', 0.35, 0.45);
assert.match(await text(page, 'range'), /Selected: .* – /);
assert.notEqual(await text(page, 'found'), kinds.allocated, 'the flame graph follows the stretch');
assert.ok(await page.locator('#findings tbody tr:visible').count() < rows, 'the findings follow the stretch');
await page.screenshot({ path: `${pictures}/range.png`, fullPage: true });
// Selecting the whole run by hand gives the recorded sums.
for (const metric of ['leaked', 'allocated', 'peak']) {
  await drag(page, 'overview', 0.0, 1.0);
  await page.locator(`#metric button[value=${metric}]`).click();
  await settled(page);
  assert.equal(await text(page, 'found'), kinds[metric], metric);
}
await page.locator('#clear').click();
await settled(page);
assert.equal(await text(page, 'range'), '');
assert.equal(await page.locator('#findings tbody tr:visible').count(), rows);

// Rows: filtered, sorted, opened.
await page.locator('input[data-of=leaks]').fill('remember_metrics');
assert.equal(await page.locator('#leaks tbody tr:visible').count(), 1);
await page.locator('#leaks summary').first().click();
assert.match(await page.locator('#leaks tbody tr').first().innerText(), /train\.c:/);
await page.locator('#findings th').nth(1).click();
assert.equal(await page.locator('#findings th').nth(1).getAttribute('aria-sort'), 'descending');

// The other language, by the button and by the browser's preference; without scripts the tables are there.
await page.locator('#language').click();
await settled(page);
assert.match(await page.locator('h2[data-t=timeline]').innerText(), /存活字节/);
assert.equal(await page.locator('html').getAttribute('lang'), 'zh');
assert.match(await page.locator('#findings').innerText(), /释放了此前已释放的内存块/);
assert.match(await page.locator('#facts').innerText(), /零拷贝占比[^]*99\.6 % 良好/);
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: `${pictures}/chinese.png`, fullPage: true });
await page.locator('#language').click();
assert.match(await page.locator('h2[data-t=timeline]').innerText(), /Live bytes/);
assert.match(await page.locator('#findings').innerText(), /that was already released/);
// 50 steps, 2 requests each; 1 MiB of pinned memory to 4096 bytes of ours: 256 / 257 = 99.6 %.
const section = (page, title) => page.locator('#facts section', { has: page.locator(`h3 [data-t=${title}]`) });
assert.match(await section(page, 'pools-inside').innerText(), /exchange\s+at the peak\s+1\.0 MiB\s+2\s/);
assert.match(await section(page, 'pools-service').innerText(), /exchange\s+100\s/);
assert.match(await section(page, 'transfers').innerText(), /99\.6 % good/);
const light = await hash(page, 'timeline');
await page.emulateMedia({ colorScheme: 'dark' });
await settled(page);
await settled(page);
assert.notEqual(await hash(page, 'timeline'), light, 'the drawings follow the scheme');
assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(246, 247, 249)');
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: `${pictures}/dark.png`, fullPage: true });
assert.deepEqual(wrong, []);
await close();

// Where workers are refused, the same code runs in the page.
const alone = await browser.newContext({ viewport: { width: 1360, height: 1000 }, offline: true });
await alone.addInitScript(() => { window.Worker = class { constructor() { throw new Error('refused'); } }; });
const lonely = await alone.newPage();
await lonely.goto(address);
await lonely.locator('#drawings').waitFor();
await settled(lonely);
assert.equal(lonely.workers().length, 0);
assert.equal(await text(lonely, 'found'), kinds.leaked);
await alone.close();

const other = await open({ locale: 'zh-CN', colorScheme: 'dark' });
await other.page.locator('#drawings').waitFor();
assert.match(await other.page.locator('h2[data-t=timeline]').innerText(), /存活字节/);
assert.deepEqual(other.wrong, []);
await other.close();

// The language requested when the page was made overrides the browser's preference; the button still changes it, and it also applies without scripts.
for (const [path, locale, lang, words, others] of [[asked, 'en-GB', 'zh', /存活字节/, /Live bytes/], [english, 'zh-CN', 'en', /Live bytes/, /存活字节/]]) {
  const told = await open({ locale }, pathToFileURL(path).href);
  await told.page.locator('#drawings').waitFor();
  await settled(told.page);
  assert.match(await told.page.locator('h2[data-t=timeline]').innerText(), words);
  assert.equal(await told.page.locator('html').getAttribute('lang'), lang);
  assert.match(await told.page.locator('#findings').innerText(), lang === 'zh' ? /释放了此前已释放的内存块/ : /that was already released/);
  await told.page.locator('#language').click();
  await settled(told.page);
  assert.match(await told.page.locator('h2[data-t=timeline]').innerText(), others);
  assert.match(await told.page.locator('#findings').innerText(), lang === 'zh' ? /that was already released/ : /释放了此前已释放的内存块/);
  await told.page.locator('#language').click();
  assert.match(await told.page.locator('h2[data-t=timeline]').innerText(), words);
  assert.deepEqual(told.wrong, []);
  await told.close();
  const silent = await open({ locale, javaScriptEnabled: false }, pathToFileURL(path).href);
  assert.match(await silent.page.locator('#findings').innerText(), lang === 'zh' ? /释放了此前已释放的内存块/ : /that was already released/);
  assert.match(await silent.page.locator('h2:visible').first().innerText(), lang === 'zh' ? /发现|问题/ : /Findings/);
  await silent.close();
}

// A truncated page says so and draws the rest.
const bounded = await open({}, pathToFileURL(small).href);
await bounded.page.locator('#drawings').waitFor();
assert.ok(statSync(small).size <= 300 * 1024);
assert.ok(await bounded.page.locator('[data-t=left-out-blocks]').isVisible());
assert.match(await bounded.page.locator('body').innerText(), /\d+ blocks are not drawn/);
await bounded.page.locator('#metric button[value=allocated]').click();
await settled(bounded.page);
assert.equal(await text(bounded.page, 'found'), kinds.allocated, 'sums of the whole run are exact');
assert.deepEqual(bounded.wrong, []);
// Foreign scripts do not run, and nothing is sent out.
const stranger = await bounded.page.evaluate(async () => {
  const script = document.createElement('script');
  script.textContent = 'window.stranger = true';
  document.body.append(script);
  const asked = await fetch('https://example.com/').then(() => 'sent', () => 'refused');
  return [window.stranger, asked];
});
assert.deepEqual(stranger, [undefined, 'refused']);
assert.equal(bounded.wrong.filter(one => one.includes('Content Security Policy')).length, bounded.wrong.length);
assert.ok(bounded.wrong.length >= 2);
await bounded.page.evaluate(() => scrollTo(0, 0));
await bounded.page.screenshot({ path: `${pictures}/bounded.png` });
await bounded.close();

// Two processes that did the same: each is drawn from its own log, and common data is shown for both in any selected time range.
const both = await open({}, pathToFileURL(two).href);
await both.page.locator('#drawings').waitFor();
await settled(both.page);
assert.equal(await both.page.locator('#process option').count(), 2);
const common = await both.page.locator('#findings tbody tr[data-also]').count();
assert.ok(common > 0, 'two runs of one program have findings in common');
for (const process of ['1', '0']) {
  await both.page.locator('#process').selectOption(process);
  await settled(both.page);
  assert.match(await text(both.page, 'clock'), /· 1\d\d\.\d MiB live/, 'it opens at its peak');
  await drag(both.page, 'overview', 0.0, 1.0);
  assert.equal(await both.page.locator('#findings tbody tr[data-also]:visible').count(), common, `process ${process}`);
  assert.equal(await both.page.locator('#leaks tbody tr[data-also]:visible').count(), 1, `process ${process}`);
  let tip = '';
  for (let x = 0.6; x < 1 && !/^error: double-free/.test(tip); x += 0.004) tip = await pointed(both.page, 'timeline', x, 0.04);
  assert.match(tip, /^error: double-free/, `its mark is on the timeline of process ${process}`);
}
// A narrow screen scrolls down only.
await both.page.setViewportSize({ width: 380, height: 800 });
await settled(both.page);
assert.ok(await both.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
// Print is light and has drawings of its own width and no buttons.
await both.page.setViewportSize({ width: 700, height: 1000 });
await both.page.emulateMedia({ colorScheme: 'light' });
await settled(both.page);
const bright = await hash(both.page, 'flame');
await both.page.emulateMedia({ colorScheme: 'dark' });
await settled(both.page);
assert.notEqual(await hash(both.page, 'flame'), bright);
await both.page.emulateMedia({ colorScheme: 'dark', media: 'print' });
await settled(both.page);
const paper = await both.page.evaluate(() => {
  const flame = document.getElementById('flame');
  return [getComputedStyle(document.body).backgroundColor, flame.width === Math.round(flame.parentElement.clientWidth * devicePixelRatio)];
});
assert.deepEqual(paper, ['rgb(255, 255, 255)', true]);
assert.ok(!await both.page.locator('#language').isVisible());
await both.page.screenshot({ path: `${pictures}/paper.png`, fullPage: true });
assert.deepEqual(both.wrong, []);
await both.close();

const plain = await open({ javaScriptEnabled: false });
assert.match(await plain.page.locator('#findings').textContent(), /double-free/);
assert.match(await plain.page.locator('#leaks').textContent(), /remember_metrics/);
assert.match(await plain.page.locator('#facts').innerText(), /zero-copy share[^]*99\.6 % good/i);
assert.ok(await plain.page.locator('noscript p').isVisible());
assert.ok(!await plain.page.locator('#language').isVisible(), 'a button that does nothing');
await plain.page.screenshot({ path: `${pictures}/plain.png` });
await plain.close();
await browser.close();
console.log('ok');
