// Drives the book that `docs/build` makes in a real browser: search in both languages, the link to the other language, and no page wider
// than its window.
//
// node tests/browser/book.mjs TOOLS HTML PICTURES: the folder that .ci/browser prints, the book, a folder for screenshots.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, book, pictures] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(`${tools}/package.json`)('playwright-core');
mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath: `${tools}/chromium`, args: ['--no-sandbox', '--allow-file-access-from-files'] });
const address = name => pathToFileURL(`${book}/${name}`).href;

// Opens a page; a request that leaves the book, and an error in a script, is a failure.
async function open(name, options) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', error => wrong.push(String(error)));
  page.on('request', request => /^(file|data|blob):/.test(request.url()) || wrong.push(request.url()));
  await page.goto(address(name));
  return { page, close: async () => { assert.deepEqual(wrong, []); await context.close(); } };
}

async function search(page, words) {
  await page.locator('#mdbook-search-toggle').click();
  await page.locator('#mdbook-searchbar').fill(words);
  await page.locator('#mdbook-searchbar').press('End'); // it listens to keys
  const first = page.locator('#mdbook-searchresults li a').first();
  await first.waitFor();
  return { count: await page.locator('#mdbook-searchresults li').count(), first: await first.innerText(), link: await first.getAttribute('href') };
}

for (const [locale, folder] of [['en-GB', 'en'], ['zh-CN', 'zh']]) {
  const { page, close } = await open('index.html', { locale });
  await page.waitForURL(`**/${folder}/index.html`);
  await close();
}

{
  const { page, close } = await open('en/leaks.html');
  assert.equal(await page.locator('main h1').innerText(), 'Leaks');
  assert.equal(await page.locator('main table').count(), 1);
  await page.screenshot({ path: `${pictures}/en-leaks.png` });
  const found = await search(page, 'quarantine');
  assert.ok(found.count > 2, JSON.stringify(found));
  await page.screenshot({ path: `${pictures}/en-search.png` });
  await page.locator('a.language').click();
  await page.waitForURL('**/zh/leaks.html');
  assert.equal(await page.locator('main h1').innerText(), '内存泄漏');
  await page.screenshot({ path: `${pictures}/zh-leaks.png` });
  const chinese = await search(page, '保护页');
  assert.ok(chinese.count > 2 && /保护/.test(chinese.first), JSON.stringify(chinese));
  await page.screenshot({ path: `${pictures}/zh-search.png` });
  await page.locator('#mdbook-searchresults li a').first().click();
  await page.waitForURL(/zh\/.*\.html/);
  await close();
}

for (const name of ['en/rules/double-free', 'zh/rules/double-free', 'en/commands/export', 'zh/commands/export', 'en/order', 'zh/compare', 'en/options', 'en/start']) {
  for (const [kind, options] of [['', {}], ['-narrow', { viewport: { width: 400, height: 800 } }], ['-dark', { colorScheme: 'dark' }]]) {
    const { page, close } = await open(`${name}.html`, options);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name}${kind} is ${wide} px wider than its window`);
    assert.equal(await page.locator('main h1').count(), 1, name);
    await page.screenshot({ path: `${pictures}/${name.replaceAll('/', '-')}${kind}.png` });
    await close();
  }
}
await browser.close();
console.log('the book: search, languages and layout are as they should be');
