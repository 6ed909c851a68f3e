// Live decisions.
import { badge, byId, el, facts, command, said, when, printable } from './parts.js';

const LINES_MAX = 500;
const SHOWN_MAX = 200;
const NEWS_MILLIS = 4000;
const DRAW_MILLIS = 150;
const FLOOD_LINES = 20;
const FLOOD_DRAW_MILLIS = 1000;

const lines = [];
let newest = 0;
let missed = 0;
let paused = false;
let waiting = false;
let flood = false;
let deniedSince = 0;
let quiet = true;

const denied = (line) => line.decision === 'deny';

function word(decision) {
  return { allow: ['allowed', 'yes'], deny: ['denied', 'no'], learned: ['learned', 'note'] }[decision] ?? ['event', ''];
}

function row(line) {
  const [text, look] = word(line.decision);
  const head = el('span', 'line', when(line.time), badge(text, look),
    line.sandbox ? said(line.sandbox, 'who') : null, said(line.asked),
    ...line.reasons.map((reason) => badge(printable(reason.code), '')));
  const more = el('div', 'more');
  for (const reason of line.reasons) {
    if (reason.sentence) more.append(el('p', '', said(reason.sentence)));
    if (reason.remedy) more.append(command(reason.remedy, 'To allow it:'));
  }
  more.append(facts(['record', '#' + line.seq + ' ' + line.kind], ...Object.entries(line.detail)));
  const item = el('li', '', el('details', '', el('summary', '', head), more));
  item.dataset.seq = line.seq;
  return item;
}

function fits(line) {
  const sandbox = byId('only-sandbox').value;
  const find = byId('find').value.toLowerCase();
  return (!sandbox || line.sandbox === sandbox)
    && (!byId('only-denied').checked || denied(line))
    && (!find || (line.sandbox + ' ' + line.asked + ' ' + line.kind + ' ' + line.reasons.map((r) => r.code).join(' ')).toLowerCase().includes(find));
}

/** Adds what is new at the top; what a person has opened stays as it is. */
function draw(afresh) {
  waiting = false;
  const list = byId('decisions-list');
  if (afresh) list.replaceChildren();
  const top = Number(list.firstElementChild?.dataset.seq ?? 0);
  const more = lines.filter((line) => line.seq > top && fits(line)).slice(-SHOWN_MAX);
  flood = !afresh && more.length >= FLOOD_LINES;
  list.prepend(...more.reverse().map(row));
  while (list.childElementCount > SHOWN_MAX) list.lastElementChild.remove();
  byId('decisions-empty').hidden = list.childElementCount > 0;
}

function later() {
  if (!paused && !waiting) {
    waiting = true;
    setTimeout(draw, flood ? FLOOD_DRAW_MILLIS : DRAW_MILLIS, false);
  }
}

function add(line) {
  if (line.seq <= newest) return false;
  newest = line.seq;
  lines.push(line);
  if (lines.length > LINES_MAX) lines.shift();
  if (denied(line) && !quiet) deniedSince++;
  if (line.sandbox) offer(line.sandbox);
  later();
  return true;
}

function offer(name) {
  const select = byId('only-sandbox');
  if (select.options.length < 200 && ![...select.options].some((option) => option.value === name)) {
    select.append(el('option', '', { value: name }, printable(name)));
  }
}

/** A screen reader hears sums, not every line. */
function news() {
  if (deniedSince > 0) {
    byId('decisions-news').textContent = deniedSince === 1 ? '1 request was denied.' : deniedSince + ' requests were denied.';
    deniedSince = 0;
  }
}

export function start(onLine, onState) {
  byId('filters').addEventListener('submit', (event) => event.preventDefault());
  for (const id of ['only-sandbox', 'find', 'only-denied']) byId(id).addEventListener('input', () => draw(true));
  byId('pause').addEventListener('click', () => {
    paused = !paused;
    byId('pause').setAttribute('aria-pressed', String(paused));
    if (!paused) draw(false);
  });
  setInterval(news, NEWS_MILLIS);
  const events = new EventSource('/v1/events');
  events.addEventListener('open', () => {
    onState('live');
    setTimeout(() => { quiet = false; }, 1500);
  });
  events.addEventListener('line', (event) => {
    const line = JSON.parse(event.data);
    if (add(line)) onLine(line);
  });
  events.addEventListener('missed', (event) => {
    missed += Number(event.data);
    onState('missed', missed);
  });
  events.addEventListener('error', () => onState(events.readyState === EventSource.CLOSED ? 'closed' : 'lost'));
}
