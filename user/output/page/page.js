'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const KINDS = ['AA', 'ABBA', 'CYCLE', 'TIMEOUT', 'NESTED', 'UNKNOWN'];
const SVG = 'http://www.w3.org/2000/svg';
const $ = (id) => document.getElementById(id);
const number = (n) => n.toLocaleString('en');
const color = (kind) => `var(--${KINDS.includes(kind) ? kind : 'UNKNOWN'})`;

// Names are of anybody's choice: they become text, never markup.
function el(tag, props, ...children) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
}

function plural(n, one, many) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

// An alarm where there is cause for one; of an unknown number nobody should read "0".
function lostTile(b, n) {
  const unknown = data.summary.lost_unknown || data.summary.map_types_unseen.length;
  if (unknown) b.textContent = n ? `≥ ${number(n)}` : '?';
  b.className = n || unknown ? 'bad' : 'good';
}

function tiles() {
  const shown = data.failures + data.repeats;
  const all = [['failures', shown, 'failures in the file'],
    ...KINDS.filter((k) => data.kinds[k]).map((k) => [`kind-${k}`, data.kinds[k], k]),
    ['lost', data.summary.lost, 'lost']];
  for (const [id, n, text] of all) {
    const b = el('b', { id, textContent: number(n) });
    if (id === 'lost') lostTile(b, n);
    if (id.startsWith('kind-')) b.style.color = color(id.slice(5));
    $('tiles').append(el('div', { className: 'tile' }, b, el('span', { textContent: text })));
  }
}

function losses() {
  const s = data.summary;
  const said = [];
  if (!s.summaries) said.push('The trace has no summary: it did not end in order, and nobody ' +
    'knows what was lost.');
  else if (s.lost_unknown) said.push('More failures may have been lost than are counted.');
  if (s.programs_missed) said.push(`${plural(s.programs_missed, 'program', 'programs')} came and ` +
    'went unseen.');
  if (s.programs_unseen) said.push(`${plural(s.programs_unseen, 'program takes', 'programs take')} ` +
    'locks without reports of failures.');
  if (s.map_types_unseen.length) said.push('Not all failed locks inside maps of these types were ' +
    `seen: ${s.map_types_unseen.join(', ')}.`);
  if (s.skipped) said.push(`${plural(s.skipped, 'failure is', 'failures are')} left out by --rate.`);
  if (data.repeats) said.push(`${plural(data.repeats, 'failure is', 'failures are')} counted as ` +
    'repeats by --unique.');
  if (data.lines_left_out) said.push(`${plural(data.lines_left_out, 'line', 'lines')} of the file ` +
    'that trace has not written: left out.');
  $('losses').textContent = said.join(' ') || 'Nothing was lost.';
  $('losses').className = said.length ? '' : 'dim';
}

function legend() {
  for (const kind of KINDS.filter((k) => data.kinds[k])) {
    const i = el('i');
    i.style.background = color(kind);
    $('legend').append(el('span', {}, i, kind));
  }
}

function when(us) {
  return new Date(us / 1000).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

function rect(x, y, width, height, kind, text) {
  const r = document.createElementNS(SVG, 'rect');
  const title = document.createElementNS(SVG, 'title');
  for (const [k, v] of Object.entries({ x, y, width, height })) r.setAttribute(k, v);
  r.style.fill = color(kind);
  title.textContent = text;
  r.append(title);
  return r;
}

function timeline() {
  const t = data.timeline;
  if (!t) {
    $('timeline').textContent = 'No failures.';
    return;
  }
  const sum = (bin) => Object.values(bin).reduce((a, b) => a + b, 0);
  const most = Math.max(...t.bins.map(sum));
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${t.bins.length * 10} 180`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'failures over time');
  const top = niceTop(most);
  t.bins.forEach((bin, i) => {
    let y = 180;
    for (const kind of KINDS.filter((k) => bin[k])) {
      const h = Math.max(1.5, 180 * bin[kind] / top);
      y -= h;
      svg.append(rect(i * 10, y, 9, h, kind,
        `${when(t.start_us + i * t.width_us)}: ${plural(bin[kind], 'failure', 'failures')}, ${kind}`));
    }
  });
  $('timeline').append(
    el('p', { className: 'unit', textContent: `failures per ${span(t.width_us)}` }),
    el('div', { className: 'plot' },
      ticks('y', [1, 0.5, 0].map((part) => number(top * part))), svg,
      ticks('x', [0, 0.25, 0.5, 0.75, 1].map((part) =>
        `+${span(part * t.bins.length * t.width_us)}`))),
    el('p', { className: 'unit x', textContent: `time since ${when(t.start_us)}` }));
}

// An even number, as half of it is written, too: 2, 4, 10, 20, 40, 100 ...
function niceTop(n) {
  for (let unit = 1; ; unit *= 10)
    for (const step of [2, 4, 10]) if (n <= unit * step) return unit * step;
}

// Three digits and a unit.
function span(us) {
  if (!us) return '0';
  for (const [size, unit] of [[3600e6, 'h'], [60e6, 'min'], [1e6, 's'], [1e3, 'ms']])
    if (us >= size) return `${Number((us / size).toPrecision(3))} ${unit}`;
  return `${Number(us.toPrecision(3))} µs`;
}

function ticks(axis, texts) {
  return el('div', { className: `axis ${axis}` }, ...texts.map((textContent) =>
    el('span', { textContent })));
}

function bar(kinds, most) {
  const b = el('div', { className: 'bar' });
  for (const kind of KINDS.filter((k) => kinds[k])) {
    const i = el('i', { title: `${kind}: ${number(kinds[kind])}` });
    i.style.width = `${100 * kinds[kind] / most}%`;
    i.style.background = color(kind);
    b.append(i);
  }
  return b;
}

function table(where, heads, rows) {
  const tr = (tag, cells) => el('tr', {}, ...cells.map((c, i) =>
    el(tag, { className: typeof rows[0]?.[i] === 'number' ? 'n' : '' },
      typeof c === 'number' ? number(c) : c)));
  $(where).append(rows.length ? el('div', { className: 'scroll' }, el('table', {},
    el('thead', {}, tr('th', heads)), el('tbody', {}, ...rows.map((r) => tr('td', r))))) : 'None.');
}

function top(where, what, list) {
  const most = list.rows[0]?.count;
  table(where, ['failures', what], list.rows.map((r) => [r.count,
    el('div', {}, r.name, bar(r.kinds, most))]));
  if (list.more) $(where).append(el('p', { className: 'dim', textContent:
    `${number(list.more)} more, with ${plural(list.more_count, 'failure', 'failures')}.` }));
}

function cycles() {
  const list = data.cycles;
  for (const c of list.rows) {
    const kind = el('b', { textContent: c.kind === 'CYCLE' ? `CYCLE ${c.parties ?? ''}` : c.kind });
    kind.style.color = color(c.kind);
    const fig = el('figure', {}, el('figcaption', {}, `${number(c.count)} × `, kind, ` ${c.text}`));
    if (c.svg) {
      const box = el('div', { className: 'scroll' });
      box.innerHTML = c.svg; // graphviz has escaped the names
      fig.append(box);
    }
    $('cycles').append(fig);
  }
  if (!list.rows.length) $('cycles').textContent = 'None.';
  if (list.more) $('cycles').append(el('p', { className: 'dim', textContent:
    `${number(list.more)} more, with ${plural(list.more_count, 'failure', 'failures')}.` }));
}

const ROW = 21;
let zoomed = [data.stacks];

function frame(node, depth, x, share, path) {
  const b = el('button', { type: 'button', textContent: node.name,
    title: `${node.name}: ${plural(node.count, 'failure', 'failures')}` });
  b.style.left = `${100 * x}%`;
  b.style.width = `${100 * share}%`;
  b.style.top = `${depth * ROW}px`;
  b.style.filter = `hue-rotate(${[...node.name].reduce((h, c) => (h * 31 + c.codePointAt(0)) % 40, 7)}deg)`;
  b.onclick = () => { zoomed = path; flame(); };
  $('flame').append(b);
}

function frames(node, depth, x, share, path) {
  let deepest = depth;
  frame(node, depth, x, share, path);
  for (const child of node.children) {
    const part = share * child.count / node.count;
    if (part > 0.002) deepest = Math.max(deepest, frames(child, depth + 1, x, part, [...path, child]));
    x += part;
  }
  return deepest;
}

function flame() {
  const node = zoomed[zoomed.length - 1];
  $('flame').replaceChildren();
  zoomed.slice(0, -1).forEach((n, i) => frame(n, i, 0, 1, zoomed.slice(0, i + 1)));
  const deepest = frames(node, zoomed.length - 1, 0, 1, zoomed);
  $('flame').style.height = `${(deepest + 1) * ROW}px`;
  $('flame-path').textContent =
    `${zoomed.map((n) => n.name).join(' › ')}: ${plural(node.count, 'failure', 'failures')}`;
}

$('what').textContent = `${data.input}, ${plural(data.lines, 'line', 'lines')}` +
  (data.summary.sources.length ? `; sources: ${data.summary.sources.join('; ')}` : '');
for (const r of data.summary.recorded) {
  $('recorded').append(el('li', {}, `${r.host || 'unknown host'}, Linux ${r.kernel}`,
    ...(r.command ? [': ', el('code', { textContent: r.command })] : [])));
}
tiles();
losses();
legend();
timeline();
top('programs', 'program', data.programs);
top('locks', 'lock', data.locks);
cycles();
$('flame-note').textContent = (data.traces
  ? `Task, call trace (known of ${plural(data.traces, 'failure', 'failures')}) or program and ` +
    'line, lock. '
  : "Task, program, line, lock; 'trace --stacks' adds call traces. ") +
  'Click a row to zoom in, one above it to zoom out.' +
  (data.stacks_shortened ? ` Of ${plural(data.stacks_shortened, 'failure', 'failures')} not all ` +
    'callers are shown: there are too many.' : '');
$('flame-note').className = 'dim';
if (data.stacks.count) flame();
table('totals', ['failures', 'lost', 'program', 'kind'], data.totals.map((t) =>
  [t.count, t.lost, t.kind ? t.prog || 'unknown program' : 'others', t.kind || '']));
$('made').textContent = `rqspin ${data.version} report`;
})();
