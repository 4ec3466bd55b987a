// Ways between rows, the timeline and the map: each row leads to its moment and its block, and each of those back to the row.

// Opens a row of a table and scrolls to it.
function reveal(id) {
  const row = element(id);
  if (!row) return;
  row.hidden = false;
  document.querySelectorAll('tr.chosen').forEach(other => other.classList.remove('chosen'));
  row.classList.add('chosen');
  row.querySelector('details').open = true;
  row.scrollIntoView({ block: 'center' });
}

// The rows about a block: findings that name its address while it lived or after it, and the leak of its stack.
function rowsAbout(block) {
  const here = row => Number(row.dataset.process) === chosen.process.at;
  const rows = tables.flatMap(({ rows }) => rows).filter(here);
  return rows.filter(({ dataset, id }) => id.startsWith('leak')
    ? block.leaked && Number(dataset.stack) === block.stack
    : Number(dataset.block) === block.address && Number(dataset.begin) >= block.begin);
}

// Selects a block: it is outlined on the map, and described below it with links to its rows.
function pick(block) {
  chosen.block = block;
  drawPicked();
  changed('picked');
}

function drawPicked() {
  const line = element('picked'), block = chosen.block;
  line.hidden = !block;
  if (!block) return;
  const links = rowsAbout(block).slice(0, 8).map(row => {
    const link = document.createElement('a');
    link.href = `#${row.id}`;
    link.textContent = row.id.startsWith('leak') ? say('go-leak') : row.cells[1].textContent;
    return link;
  });
  const [size, ...lines] = blockLines(block), name = document.createElement('b');
  name.textContent = size;
  line.replaceChildren(name, ` · ${lines.join(' · ')} `, ...links.flatMap(link => [' ', link]));
}

// Shows what a row is about: its process, its moment, its block.
async function go(row, where) {
  const at = Number(row.dataset.process), index = choices.findIndex(choice => choice.at === at);
  if (index >= 0 && index !== chosen.process.index) {
    await show(index);
    element('process').value = index;
  }
  const { stack, block, begin } = row.dataset, ns = Number(begin);
  const found = stack !== undefined ? await askOnce('find', chosen.process.index, { stack: Number(stack) })
    : block !== undefined ? await askOnce('find', chosen.process.index, { address: Number(block), ns }) : null;
  // A leak is shown when it was allocated, any other mistake when it was made, or while its block still lived.
  chosen.moment = found && stack !== undefined ? found.begin : where === 'map' && found ? Math.min(ns, Math.max(found.begin, found.end - 1)) : ns;
  const [from, to] = span();
  if (chosen.moment < from || chosen.moment > to) chosen.range = null;
  if (found) {
    chosen.space = found.space;
    element('space').value = found.space;
  }
  pick(found);
  changed('range');
  (where === 'map' ? map : timeline).closest('section').scrollIntoView({ block: 'start' });
}

document.addEventListener('click', event => {
  const button = event.target.closest('[data-go]'), link = event.target.closest('a[href^="#"]');
  if (button && chosen.process) go(button.closest('tr'), button.dataset.go);
  if (!link) return;
  event.preventDefault();
  reveal(link.hash.slice(1));
});

listeners.push(now => {
  if (now.has('all')) drawPicked();
});
