// Two languages from one table: the one requested when the page was made, else the browser's, until the button is pressed.
const element = id => document.getElementById(id);
const words = JSON.parse(element('words').textContent);
let chinese = /^zh/i.test(document.documentElement.dataset.lang || navigator.language || '');

function say(key) {
  return (words[key] || [key, key])[chinese ? 1 : 0];
}

// A sentence with the names that it has in backticks as code, which breaks between the parts of a name.
function withCode(sentence) {
  return sentence.split('`').map((part, at) => {
    if (at % 2 === 0) return part;
    const code = document.createElement('code');
    part.split(/(?<=::|\/)|(?=<)/).forEach((piece, at) => code.append(...at > 0 ? [document.createElement('wbr')] : [], piece));
    return code;
  });
}

const withoutCode = one => [...one.childNodes].map(node => node.nodeName === 'CODE' ? `\`${node.textContent}\`` : node.textContent).join('');

function speak() {
  const lang = chinese ? 'zh' : 'en';
  // The page was written in a language already.
  if (document.documentElement.lang !== lang) exchange();
  document.documentElement.lang = lang;
  for (const one of document.querySelectorAll('[data-hint]')) {
    one.placeholder = say(one.dataset.hint);
    one.setAttribute('aria-label', say(one.dataset.hint));
  }
  element('language').hidden = false;
  element('language').textContent = chinese ? 'English' : '中文';
  element('language').lang = chinese ? 'en' : 'zh';
}

function exchange() {
  for (const one of document.querySelectorAll('[data-t]')) one.textContent = say(one.dataset.t);
  for (const one of document.querySelectorAll('[data-zh]')) {
    one.dataset.en ??= withoutCode(one);
    one.replaceChildren(...withCode(chinese ? one.dataset.zh : one.dataset.en));
  }
}

element('language').addEventListener('click', () => {
  chinese = !chinese;
  speak();
  changed('all');
});
