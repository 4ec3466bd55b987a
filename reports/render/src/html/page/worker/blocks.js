// The blocks of each process in columns, unpacked when the page opens. Runs in the worker.
const LIVE = 0, RELEASED = 2, FAMILIES = 10;
let processes = [];

async function unpack(text) {
  const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const data = JSON.parse(await new Response(stream).text());
  processes = data.processes;
  return { families: data.families, processes: processes.map(({ process, name, odd }) => ({ process, name, odd })) };
}

// Turns the lists of a process into typed columns, once.
function prepared(index) {
  const process = processes[index], blocks = process.blocks, count = blocks.begin.length;
  if (blocks.ends) return process;
  for (const name of ['begin', 'length', 'address', 'size']) blocks[name] = Float64Array.from(blocks[name]);
  for (const name of ['fate', 'family', 'space', 'stack', 'thread', 'ignored']) blocks[name] = Uint32Array.from(blocks[name]);
  blocks.end = new Float64Array(count);
  let now = 0;
  for (let at = 0; at < count; at += 1) {
    now += blocks.begin[at];
    blocks.begin[at] = now;
    blocks.end[at] = blocks.fate[at] === LIVE ? Infinity : now + blocks.length[at];
  }
  blocks.count = count;
  // Ends sorted by time; starts are sorted already.
  const ends = new Uint32Array(count).map((_, at) => at).filter(at => blocks.fate[at] !== LIVE);
  blocks.ends = ends.sort((a, b) => blocks.end[a] - blocks.end[b]);
  process.duration = Math.max(process.duration, 1);
  return process;
}

// Leaked as the report counts it: without what the program marked as ignored.
const isLeaked = (blocks, at) => blocks.fate[at] !== RELEASED && !blocks.ignored[at];
const isLive = (blocks, at, ns) => blocks.begin[at] <= ns && blocks.end[at] > ns;

// Calls `step(block, sign, ns)` for every start and end of a block up to `until`, in order of time; at equal times, ends come first.
function sweep(blocks, until, step) {
  let next = 0;
  for (let at = 0; at < blocks.count && blocks.begin[at] <= until; at += 1) {
    while (next < blocks.ends.length && blocks.end[blocks.ends[next]] <= blocks.begin[at]) {
      const gone = blocks.ends[next];
      if (blocks.begin[gone] === blocks.end[gone] && gone >= at) break;
      step(gone, -1, blocks.end[gone]);
      next += 1;
    }
    step(at, 1, blocks.begin[at]);
  }
  for (; next < blocks.ends.length && blocks.end[blocks.ends[next]] <= until; next += 1) step(blocks.ends[next], -1, blocks.end[blocks.ends[next]]);
}
