// Canvases at device resolution, axis ticks, and the tooltip.
function sheet(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = canvas.parentElement.clientWidth;
  if (height) canvas.style.height = `${height}px`;
  const tall = height || canvas.clientHeight || Number(canvas.getAttribute('height'));
  const [wide, high] = [Math.round(width * ratio), Math.round(tall * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    if (!canvas.style.height) canvas.style.height = `${tall}px`;
    canvas.width = wide;
    canvas.height = high;
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, tall);
  pen.font = '11px system-ui, "Segoe UI", "Noto Sans", "PingFang SC", "Microsoft YaHei", sans-serif';
  return { pen, width, height: tall };
}

// Round numbers from 0 to `most`: powers of two for bytes, of ten otherwise.
function ticks(most, wanted, base) {
  if (!(most > 0)) return [0];
  let step = base ** Math.floor(Math.log(most / wanted) / Math.log(base));
  const factors = base === 2 ? [1, 2, 4, 8] : [1, 2, 5, 10, 20, 50];
  step *= factors.find(factor => most / (step * factor) <= wanted) || factors[factors.length - 1];
  const all = [];
  for (let value = 0; value <= most; value += step) all.push(value);
  return all;
}

const tip = element('tip');
// Shows lines of text; those after `frames` are styled as a stack. Never markup: names come from programs.
function showTip(event, lines, frames = lines.length) {
  tip.replaceChildren(...lines.map((line, at) => {
    const row = document.createElement('p');
    row.textContent = line;
    if (at >= frames) row.className = 'frame';
    return row;
  }));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + height + 24 < innerHeight ? event.clientY + 16 : Math.max(4, event.clientY - height - 12)}px`;
}

function hideTip() {
  tip.hidden = true;
}

// The innermost frames of a stack, as lines.
function stackLines(process, stack, most = 14) {
  const frames = process.stacks[stack] || [];
  const lines = frames.slice(0, most).map((frame, depth) => {
    const [name, place] = process.frames[frame];
    return `${depth === 0 ? '' : `#${depth - 1} `}${name}${place ? `  ${place.split('/').pop()}` : ''}`;
  });
  if (frames.length > most) lines.push(`… ${frames.length - most}`);
  return lines;
}

function at(event, canvas) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function fitted(pen, text, room) {
  if (room < 16) return '';
  if (pen.measureText(text).width <= room) return text;
  const letters = Math.floor(room / 6.2);
  return letters < 3 ? '' : `${text.slice(0, letters - 1)}…`;
}
