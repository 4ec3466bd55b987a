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

// Powers of two, and multiples of one, from 0 to `most` bytes.
function byteTicks(most, wanted) {
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(most / wanted))), all = [];
  for (let value = 0; value <= most; value += step) all.push([value, bytes(value).replace('.0 ', ' ')]);
  return all;
}

// Round moments between two others, with as many decimals as tell them apart. From two minutes on, steps are those of a clock.
function timeTicks(from, to, wanted) {
  const least = (to - from) / wanted;
  const clock = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map(seconds => seconds * 1e9);
  const ten = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const decimal = [1, 2, 5, 10].map(factor => factor * ten).find(step => step >= least);
  const step = to < 120e9 ? decimal : least < 10e9 ? Math.max(1e9, decimal) : clock.find(step => step >= least) || Math.ceil(least / 86400e9) * 86400e9;
  const [unit, name] = to < 1e3 ? [1, 'ns'] : to < 1e6 ? [1e3, 'µs'] : to < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)), all = [];
  for (let number = Math.ceil(from / step); number * step <= to; number += 1) {
    const ns = number * step;
    all.push([ns, to < 120e9 ? `${(ns / unit).toFixed(digits)} ${name}` : duration(ns).replace(' min 0 s', ' min').replace(' h 0 min', ' h')]);
  }
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

// The innermost frames of a stack, each a name and a place, as lines.
function stackLines(frames, most = 14) {
  const lines = frames.slice(0, most).map(([name, place], depth) => {
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
