// Bytes by call tree: nodes in preorder, the widest child first, each with the end of its subtree.

// Bytes by stack. For the whole run they were summed before anything was left out.
function weights(process, { metric, range }) {
  const { sums, blocks, spaces } = process;
  if (!range) return sums.map(sum => sum[METRICS.indexOf(metric)]);
  const [from, to] = range, sum = new Float64Array(sums.length);
  const moment = metric === 'peak' ? peakIn(process, from, to) : to;
  for (let block = 0; block < blocks.count && blocks.begin[block] <= to; block += 1) {
    const began = blocks.begin[block] >= from;
    const fits = metric === 'allocated' ? began
      : metric === 'leaked' ? began && isLeaked(blocks, block)
        : isLive(blocks, block, moment) && (metric === 'live' || spaces[blocks.space[block]].ofDevice);
    if (fits) sum[blocks.stack[block]] += blocks.size[block];
  }
  return sum;
}

const METRICS = ['live', 'leaked', 'allocated', 'peak'];

function tree(process, asked) {
  const values = weights(process, asked), { frames, stacks } = process;
  const root = { frame: -1, value: 0, children: new Map() };
  stacks.forEach((stack, index) => {
    const value = values[index];
    if (!value) return;
    let node = root;
    node.value += value;
    for (let at = stack.length - 1; at >= 0; at -= 1) {
      // Calls from several lines of one function share a box.
      const frame = stack[at], name = frames[frame][0];
      if (!node.children.has(name)) node.children.set(name, { frame, value: 0, children: new Map() });
      node = node.children.get(name);
      node.value += value;
    }
  });
  const frame = [], value = [], depth = [], parent = [], end = [];
  const list = (node, above, level) => {
    const at = frame.push(node.frame) - 1;
    value.push(node.value);
    depth.push(level);
    parent.push(above);
    end.push(0);
    for (const child of [...node.children.values()].sort((a, b) => b.value - a.value)) list(child, at, level + 1);
    end[at] = frame.length;
  };
  list(root, -1, 0);
  return { frame: Int32Array.from(frame), value: Float64Array.from(value), depth: Uint16Array.from(depth), parent: Int32Array.from(parent), end: Uint32Array.from(end) };
}

// Stacks with a block from a time range that was never released; null if that is not known for each block.
function leaking(process, { range }) {
  const { blocks, whole } = process;
  if (!range || !whole) return null;
  const stacks = new Set(), [from, to] = range;
  for (let block = 0; block < blocks.count && blocks.begin[block] <= to; block += 1) {
    if (blocks.begin[block] >= from && isLeaked(blocks, block)) stacks.add(blocks.stack[block]);
  }
  return [...stacks];
}
