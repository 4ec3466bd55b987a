// The tables exist already: rows are sorted, and hidden if they do not match the filter or the selected time range.
const tables = ['findings', 'leaks'].filter(element).map(name => {
  const table = element(name);
  const find = kind => document.querySelector(`${kind}[data-of=${name}]`);
  return { table, rows: [...table.tBodies[0].rows], filter: find('input'), count: find('output') };
});

let known = null; // stacks that leak in the selected range, if it is known

// Whether the selected process is among the other processes of a row, for which the row has no times.
function isAlso(row) {
  const { at } = chosen.process, runs = (row.dataset.also || '').split(' ').filter(run => run).map(run => run.split('-').map(Number));
  return runs.some(([from, to]) => from <= at && at <= to);
}

function drawTables() {
  for (const { rows, filter, count } of tables) {
    const wanted = filter.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const { process, begin, end, stack } = row.dataset;
      const isThen = !chosen.range || isAlso(row) || Number(process) === chosen.process.at && Number(begin) <= chosen.range[1] && Number(end) >= chosen.range[0]
        && (!known || stack === undefined || stack === '-1' || known.has(Number(stack)));
      row.hidden = !isThen || wanted !== '' && !row.textContent.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = shown < rows.length ? `${shown} ${say('filtered')} ${rows.length}` : '';
  }
}

function sortBy(table, head, column) {
  const descending = head.getAttribute('aria-sort') !== 'descending';
  for (const other of table.tHead.rows[0].cells) other.setAttribute('aria-sort', 'none');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const value = row => {
    const cell = row.cells[column], text = cell.dataset.value || cell.textContent.trim();
    return head.classList.contains('n') ? parseFloat(text) || 0 : text;
  };
  const rows = [...table.tBodies[0].rows].map(row => [value(row), row]);
  rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (descending ? -1 : 1));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

for (const { table, filter } of tables) {
  filter.parentElement.hidden = false;
  filter.addEventListener('input', drawTables);
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.setAttribute('aria-sort', 'none');
    head.addEventListener('click', () => sortBy(table, head, column));
  });
}

listeners.push(now => {
  if (!now.has('all') && !now.has('range')) return;
  drawTables();
  ask('leaking', 'leaking', { range: chosen.range }, answer => {
    known = answer && new Set(answer);
    drawTables();
  });
});
