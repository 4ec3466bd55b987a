// Two languages from one table: the one requested when the page was made, else the browser's, until the button is pressed.
const element = id => document.getElementById(id);
const words = JSON.parse(element('words').textContent);
let chinese = /^zh/i.test(document.documentElement.dataset.lang || navigator.language || '');

function say(key) {
  return (words[key] || [key, key])[chinese ? 1 : 0];
}

function speak() {
  document.documentElement.lang = chinese ? 'zh' : 'en';
  for (const one of document.querySelectorAll('[data-t]')) one.textContent = say(one.dataset.t);
  for (const one of document.querySelectorAll('[data-zh]')) {
    one.dataset.en ??= one.textContent;
    one.textContent = chinese ? one.dataset.zh : one.dataset.en;
  }
  for (const one of document.querySelectorAll('[data-hint]')) {
    one.placeholder = say(one.dataset.hint);
    one.setAttribute('aria-label', say(one.dataset.hint));
  }
  element('language').hidden = false;
  element('language').textContent = chinese ? 'English' : '中文';
  element('language').lang = chinese ? 'en' : 'zh';
}

element('language').addEventListener('click', () => {
  chinese = !chinese;
  speak();
  changed('all');
});
