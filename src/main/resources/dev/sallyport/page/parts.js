// What all parts of the page are made of. Text gets in by textContent only, so whatever a sandbox
// wrote stays text; the server's content policy forbids everything else as well.

// The same rule as in ShownText.java.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Text without characters that cannot be seen or that reorder others. Tabs stay if asked for. */
export function printable(value, keep = '') {
  return String(value).replace(UNSEEN, (c) => c === keep ? c : '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));
}

/** An element with a class, attributes and children; strings become text. */
export function el(tag, look = '', ...children) {
  const made = document.createElement(tag);
  if (look) made.className = look;
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (child instanceof Node) made.append(child);
    else if (typeof child === 'object') Object.entries(child).forEach(([name, value]) => made.setAttribute(name, value));
    else made.append(document.createTextNode(String(child)));
  }
  return made;
}

/** What somebody else wrote. */
export const said = (value, look = '') => el('span', ('text ' + look).trim(), printable(value));

export const badge = (word, look) => el('span', 'badge ' + look, word);

export function when(iso) {
  const date = new Date(iso);
  const today = date.toDateString() === new Date().toDateString();
  const text = today ? date.toLocaleTimeString() : date.toLocaleString();
  return el('time', 'when', { datetime: iso, title: date.toLocaleString() }, text);
}

export function bytes(count) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let value = count;
  while (value >= 1000 && at < units.length - 1) { value /= 1000; at++; }
  return (at === 0 ? value : value.toFixed(1)) + ' ' + units[at];
}

export const number = (count) => Number(count).toLocaleString();

export function facts(...pairs) {
  const list = el('dl', 'facts');
  for (const [name, value] of pairs) {
    if (value === null || value === undefined || value === '') continue;
    list.append(el('dt', '', name), el('dd', '', value instanceof Node ? value : printable(value)));
  }
  return list;
}

/** A command that a person can copy. */
export function command(text, label) {
  const button = el('button', 'small', { type: 'button', 'aria-label': 'Copy: ' + printable(text) }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not copied';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return el('p', 'remedy', label ? el('span', '', label) : null, el('code', 'text', printable(text)), button);
}

/** A button that does what it says when it is pressed twice: what it changes gives a sandbox more. */
export function twice(word, sure, act, look = 'small') {
  const button = el('button', look, { type: 'button' }, word);
  let armed = false;
  const rest = () => { armed = false; if (!button.disabled) button.textContent = word; };
  button.addEventListener('blur', rest);
  button.addEventListener('click', async () => {
    if (!armed) {
      armed = true;
      button.textContent = sure;
      return;
    }
    armed = false;
    button.disabled = true;
    button.textContent = await act();
  });
  return button;
}

/** Bars for numbers over time. */
export function chart(values, label) {
  const NS = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(NS, 'svg');
  const most = Math.max(...values, 1);
  const step = 120 / values.length;
  svg.setAttribute('class', 'chart');
  svg.setAttribute('viewBox', '0 0 120 26');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  const bar = (x, y, width, height, look) => {
    const rect = document.createElementNS(NS, 'rect');
    Object.entries({ x, y, width, height }).forEach(([name, value]) => rect.setAttribute(name, value));
    if (look) rect.setAttribute('class', look);
    svg.append(rect);
  };
  bar(0, 25, 120, 1, 'floor');
  values.forEach((value, i) => {
    const height = value === 0 ? 0 : Math.max(2, 24 * value / most);
    if (height > 0) bar(i * step, 25 - height, step * 0.8, height);
  });
  return svg;
}

/** Puts new content in place, unless a person is in the middle of it. */
export function fill(list, empty, children) {
  const inside = list.contains(document.activeElement) || [...list.querySelectorAll('details')].some((d) => d.open);
  if (inside && list.childElementCount > 0) return false;
  list.replaceChildren(...children);
  if (empty) empty.hidden = children.length > 0;
  return true;
}

export const byId = (id) => document.getElementById(id);

/** Asks the server; an error has the server's words. */
export async function ask(path, body) {
  const options = body === undefined
    ? {}
    : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(path, { ...options, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
  if (answer.ok) return answer.json();
  let words = 'The daemon answered ' + answer.status + '.';
  try {
    const problem = await answer.json();
    if (problem.message) words = problem.message + ' ' + (problem.remedy ?? '');
  } catch { /* no JSON, no words */ }
  const error = new Error(words);
  error.status = answer.status;
  throw error;
}
