// What waits for a person, and the answer.
import { ask, badge, byId, bytes, el, facts, number, printable, said, twice, when } from './parts.js';

const DIFF_LINES_MAX = 3000;
const KEPT_MAX = 50;
const CARDS_MAX = 100;
const shown = new Map();
const diffs = new Map();
let account = '';
let turn = 0;

function look(line) {
  if (line.startsWith('diff ') || line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : '';
}

export function diffText(diff, label) {
  const lines = diff.replace(/\n$/, '').split('\n');
  const pre = el('pre', 'diff', { tabindex: '0', role: 'region', 'aria-label': label });
  for (const line of lines.slice(0, DIFF_LINES_MAX)) pre.append(el('span', look(line), printable(line, '\t') || ' '));
  if (lines.length > DIFF_LINES_MAX) pre.append(el('span', 'hunk', (lines.length - DIFF_LINES_MAX) + ' more lines'));
  return pre;
}

const fits = (text) => text.split('\n').length <= DIFF_LINES_MAX;

const list = (texts) => el('ul', 'plain', ...texts.map((text) => el('li', '', said(text, 'code'))));

const brief = (object) => /^0*$/.test(object) ? 'nothing' : object.slice(0, 10);

function push(detail) {
  const part = el('div', 'more');
  const refs = el('ul', 'plain');
  for (const one of detail.commands) refs.append(el('li', '', said(one.ref, 'code'), ' ' + brief(one.before) + ' → ' + brief(one.after)));
  part.append(el('h4', '', 'Refs'), refs);
  if (detail.options.length > 0) part.append(el('h4', '', 'Options'), list(detail.options));
  const commits = el('ul', 'plain');
  for (const one of detail.commits) commits.append(el('li', '', said(one.id.slice(0, 10), 'code'), ' ', said(one.subject), ' ', said(one.author, 'who')));
  const files = el('ul', 'plain');
  for (const one of detail.files) files.append(el('li', '', said(one.path, 'code'), ` +${one.added} −${one.removed}`));
  part.append(el('h4', '', `Commits (${number(detail.commitsTotal)})`), commits,
    el('h4', '', `Files (${number(detail.filesTotal)})`), files);
  if (detail.diff) part.append(diffText(detail.diff, 'Changes'));
  if (!detail.complete || !fits(detail.diff)) part.append(el('p', 'notice', 'The diff is too long and was cut. Look at the rest before you say yes.'));
  return part;
}

function request(detail) {
  const part = el('div', 'more');
  part.append(facts(['operation', detail.operation], ['method', detail.method], ['URL', detail.url]));
  if (detail.fields.length > 0) part.append(el('h4', '', 'Fields'), list(detail.fields));
  if (detail.text) part.append(diffText(detail.text, 'Body'));
  if (!detail.complete || !fits(detail.text)) part.append(el('p', 'notice', 'The body or a field is NOT shown as a whole.'));
  return part;
}

/** A push that was looked at here can be looked at again in the history. */
function keep(view, detail) {
  if (!detail.push?.diff) return;
  for (const one of detail.push.commands) diffs.set([view.target, one.ref, one.after].join(' '), detail.push.diff);
  while (diffs.size > KEPT_MAX) diffs.delete(diffs.keys().next().value);
}

export const diffOf = (push) => diffs.get([push.repo, push.ref, push.after].join(' '));

async function answer(view, word, note, card) {
  for (const button of card.querySelectorAll('button')) button.disabled = true;
  const told = byId('approvals-said');
  try {
    await ask('/v1/approvals/' + view.id, { answer: word, digest: view.digest, who: account, how: 'page', note });
    told.textContent = (word === 'yes' ? 'Approved: ' : 'Denied: ') + printable(view.summary);
    remove(view.id);
  } catch (error) {
    if (error.status === 404) {
      told.textContent = 'Too late: it was answered already, or nobody waits any more.';
    } else {
      told.textContent = printable(error.message);
      for (const button of card.querySelectorAll('button')) button.disabled = false;
    }
  }
  await refresh();
  byId('approvals').focus();
}

function remove(id) {
  shown.get(id)?.remove();
  shown.delete(id);
}

/** The card stays, and as high as it was: another one in its place would get the click that was meant for it. */
function end(id, card) {
  if (card.classList.contains('ended')) return;
  card.classList.add('ended');
  const row = card.querySelector('.answer');
  row.style.minHeight = row.offsetHeight + 'px';
  for (const button of row.querySelectorAll('button')) button.disabled = true;
  const dismiss = el('button', 'small dismiss', { type: 'button' }, 'Dismiss');
  dismiss.addEventListener('click', () => remove(id));
  row.querySelector('label').replaceWith(el('span', 'notice', 'This request no longer waits for an answer.'), dismiss);
}

function card(view, question) {
  const note = el('input', '', { maxlength: '300', autocomplete: 'off' });
  const yes = twice('Approve', 'Really approve?', async () => {
    await answer(view, 'yes', note.value, made);
    return 'Approve';
  }, 'yes');
  const no = el('button', 'no', { type: 'button' }, 'Deny');
  const made = el('li', 'question',
    el('div', 'card-head', el('h3', '', said(view.summary)), badge(view.kind, 'note'), said(view.sandbox, 'who'), when(view.asked)),
    facts(['target', view.target], ['size', bytes(question.bytes)], ['ends', when(view.expires)]),
    el('ul', 'reasons', ...view.reasons.map((reason) => el('li', '', said(reason)))),
    question.detail.push ? push(question.detail.push) : request(question.detail.request),
    el('div', 'answer', el('label', '', 'Note for those inside', note), yes, no));
  no.addEventListener('click', () => answer(view, 'no', note.value, made));
  return made;
}

/** A question is drawn once and stays until this person answers or dismisses it, so that nothing moves under a hand. */
export async function refresh() {
  const mine = ++turn;
  let open;
  try {
    open = (await ask('/v1/approvals')).approvals;
  } catch (error) {
    if (error.status === 404) return;
    throw error;
  }
  if (mine !== turn) return; // a newer list is on its way; an old one would end cards that it does not know
  for (const [id, drawn] of shown) {
    if (!open.some((view) => view.id === id)) end(id, drawn);
  }
  let left = 0;
  for (const view of open) {
    if (shown.has(view.id)) continue;
    if (shown.size >= CARDS_MAX) left++;
    else await draw(view);
  }
  count(open.length, left);
}

/** The question that a link leads to. It is shown, and not answered. */
export function reveal(id) {
  const card = shown.get(id);
  if (!card) {
    byId('approvals-said').textContent = 'The question of this link is no longer open.';
    return;
  }
  card.classList.add('meant');
  card.setAttribute('tabindex', '-1');
  card.scrollIntoView({ block: 'start' });
  card.focus();
}

async function draw(view) {
  try {
    const whole = await ask('/v1/approvals/' + view.id);
    if (shown.has(view.id)) return;
    const made = card(whole.view, whole.question);
    keep(whole.view, whole.question.detail);
    shown.set(view.id, made);
    byId('approvals-list').append(made);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}

function count(waiting, left) {
  const sum = byId('approvals-count');
  sum.textContent = String(waiting);
  sum.hidden = waiting === 0;
  byId('approvals-empty').hidden = waiting > 0;
  byId('approvals-left').hidden = left === 0;
  byId('approvals-left').textContent = left === 0 ? '' : `${left} more. Dismiss some, or load the page again.`;
  document.title = waiting > 0 ? `(${waiting}) Sallyport` : 'Sallyport';
}

export function start(name) {
  account = name;
}
