// The page as a whole: log in, then show.
import { ask, badge, byId, bytes, chart, command, el, facts, fill, number, printable, said, twice, when } from './parts.js';
import * as approvals from './approvals.js';
import * as feed from './feed.js';

const REFRESH_MILLIS = 10000;
const SOON_MILLIS = 700;
/** Sums change with every request; drawing them each time would take time from the requests. */
const SUMS_MILLIS = 3000;
let sandboxes = [];
let timer = 0;
let due = 0;
let over = false;
let meant = '';

function welcome(text) {
  over = true;
  byId('welcome-text').replaceChildren(text, ' Run ', el('code', '', 'sallyport ui'), ' and open the link that it prints.');
  byId('welcome').hidden = false;
  for (const id of ['content', 'sections', 'logout']) byId(id).hidden = true;
  state('', 'Not logged in');
}

function state(look, text) {
  byId('state').className = 'state ' + look;
  if (byId('state').textContent !== text) byId('state').textContent = text;
}

function lost(error) {
  if (error.status === 401) welcome('You are not logged in, or your session is over.');
  else if (!over) state('lost', 'The daemon does not answer');
}

const STATES = { running: 'yes', stopped: '', ended: 'no' };

function sandboxCard(view, counts) {
  const repos = view.repos.map((grant) => printable(grant.repo ?? grant.name ?? '') + (grant.access ? ' (' + grant.access + ')' : ''));
  const use = view.usage;
  const card = el('li', 'card',
    el('div', 'card-head', el('h3', '', said(view.name)), badge(printable(view.state), STATES[view.state] ?? 'note'),
      view.learn ? badge('not isolated', 'no') : null, el('span', 'who', view.runtime)),
    facts(
      ['repositories', repos.join(', ') || 'none'],
      ['decisions', `${number(counts?.allowed ?? 0)} allowed, ${number(counts?.denied ?? 0)} denied`],
      ['requests', number(use.requests)],
      ['pushes', number(use.pushes)],
      ['bytes', `${bytes(use.bytesUp)} up, ${bytes(use.bytesDown)} down`],
      ['workspace', view.workspace],
      ['last used', when(view.lastUsed)]));
  for (const notice of view.notices) card.append(el('p', 'notice', said(notice)));
  return card;
}

function drawSandboxes(activity) {
  const counts = new Map(activity.sandboxes.map((one) => [one.session, one]));
  fill(byId('sandboxes-list'), byId('sandboxes-empty'), sandboxes.map((view) => sandboxCard(view, counts.get(view.session))));
}

/** A host can be allowed from here for as long as the sandbox lives, as `sallyport allow` does, or once: then each connection waits. */
function allowing(remedy, once) {
  const [, sandbox, host] = /^sallyport allow (\S+) (\S+)$/.exec(remedy) ?? [];
  if (!sandbox || !sandboxes.some((view) => view.name === sandbox)) return null;
  const question = once ? `Ask about each connection of ${printable(sandbox)} to ${printable(host)}?` : `Allow ${printable(host)} to ${printable(sandbox)}?`;
  return twice(once ? 'Allow once' : 'Allow', question, async () => {
    try {
      await ask('/v1/sandboxes/' + encodeURIComponent(sandbox) + '/allow', { hosts: [host], tcp: [], ask: once });
      return once ? 'The next one asks' : 'Allowed';
    } catch (error) {
      return printable(error.message);
    }
  });
}

function denialRow(denial) {
  const row = el('li', '',
    el('span', 'line', said(denial.subject), denial.reason ? badge(printable(denial.reason), 'no') : null,
      el('span', 'who', `${number(denial.count)}×, last `), when(denial.last)));
  if (!denial.remedy) return row;
  const remedy = command(denial.remedy, 'To allow it:');
  for (const button of [allowing(denial.remedy, false), allowing(denial.remedy, true)]) if (button) remedy.append(button);
  row.append(remedy);
  return row;
}

function drawRefusals(activity) {
  const groups = activity.sandboxes.filter((one) => one.denials.length > 0).reverse();
  fill(byId('refusals-list'), byId('refusals-empty'), groups.map((one) => el('div', 'group', el('h3', '', said(one.sandbox)),
    el('ul', 'plain rows', ...one.denials.reverse().map(denialRow)))));
}

const brief = (object) => /^0*$/.test(object) ? 'nothing' : object.slice(0, 10);

function verdict(push) {
  if (push.decision === 'deny') return [badge('denied', 'no'), push.reason ? badge(printable(push.reason), '') : null];
  const word = { taken: ['taken', 'yes'], refused: ['refused by the git host', 'no'] }[push.upstream] ?? ['allowed', 'yes'];
  return [badge(...word)];
}

function pushRow(push) {
  const head = el('span', 'line', when(push.time), ...verdict(push), said(push.sandbox, 'who'), said(push.repo), said(push.ref, 'code'),
    el('span', 'who', printable(brief(push.before) + ' → ' + brief(push.after))));
  const diff = approvals.diffOf(push);
  const why = [push.sentence, push.detail].filter(Boolean).map((text) => el('p', '', said(text)));
  if (!diff) return el('li', '', head, ...why);
  return el('li', '', el('details', '', el('summary', '', head), el('div', 'more', ...why, approvals.diffText(diff, 'Changes'))));
}

function drawTraffic(activity) {
  fill(byId('traffic-list'), byId('traffic-empty'), activity.hosts.slice(0, 100).map((use) => {
    const hour = use.minutes.reduce((a, b) => a + b, 0);
    return el('tr', '',
      el('th', '', { scope: 'row' }, said(use.host)),
      el('td', '', chart(use.minutes, `${hour} decisions in the last hour`)),
      el('td', '', chart(use.hours, `${use.allowed + use.denied} decisions in 24 hours`)),
      ...[number(use.allowed), number(use.denied), bytes(use.bytesUp), bytes(use.bytesDown)].map((text) => el('td', 'number', text)));
  }));
}

async function refresh() {
  timer = 0;
  if (over) return;
  try {
    const [list, lately] = await Promise.all([ask('/v1/sandboxes'), ask('/v1/activity')]);
    sandboxes = list.sandboxes;
    byId('trouble').hidden = lately.trouble === '';
    byId('trouble').textContent = lately.trouble === '' ? '' : 'The audit log cannot be read: ' + printable(lately.trouble);
    drawSandboxes(lately.activity);
    drawRefusals(lately.activity);
    fill(byId('pushes-list'), byId('pushes-empty'), lately.activity.pushes.map(pushRow));
    drawTraffic(lately.activity);
    if (!lately.complete) later();
    await approvals.refresh();
  } catch (error) {
    lost(error);
  }
}

function later(millis = SOON_MILLIS) {
  const at = performance.now() + millis;
  if (timer && at >= due) return;
  clearTimeout(timer);
  due = at;
  timer = setTimeout(refresh, millis);
}

async function prove() {
  const text = byId('proof-text');
  byId('proof-check').disabled = true;
  text.textContent = 'Checking every line…';
  try {
    const proof = await ask('/v1/proof');
    text.replaceChildren(badge(proof.holds ? 'intact' : 'BROKEN', proof.holds ? 'yes' : 'no'), ' ',
      proof.holds
        ? `No line was changed, removed or added. ${number(proof.lines)} lines.`
        : `${printable(proof.broken.file)}, line ${proof.broken.line}: ${printable(proof.broken.reason)}. ${number(proof.lines)} lines before it are intact.`);
    byId('proof-facts').replaceWith(Object.assign(facts(
      ['first line', proof.first && when(proof.first)], ['last line', proof.last && when(proof.last)],
      ['last hash', el('code', '', proof.lastHash)], ['signed by key', proof.key && el('code', '', proof.key)],
      ['checked', when(proof.checked)]), { id: 'proof-facts' }));
  } catch (error) {
    text.textContent = 'It cannot be checked: ' + printable(error.message);
    lost(error);
  }
  byId('proof-check').disabled = false;
}

function onState(word, count) {
  if (over) return;
  if (word === 'live') state('live', 'Live');
  else if (word === 'missed') state('live', `Live; ${number(count)} lines came too fast and are not shown`);
  else {
    state('lost', 'The daemon does not answer');
    if (word === 'closed') ask('/v1/session').catch(lost);
  }
}

/** The link's secret is used up at once, and is in no history. */
async function login() {
  const link = location.hash.startsWith('#login=') ? location.hash.slice('#login='.length) : '';
  if (!link) return true;
  history.replaceState(null, '', '/');
  try {
    meant = (await ask('/v1/login', { link })).question;
    return true;
  } catch {
    try {
      await ask('/v1/session');
      return true;
    } catch {
      welcome('This link was used already, has expired, or is not yours.');
      return false;
    }
  }
}

async function begin() {
  if (!await login()) return;
  try {
    approvals.start((await ask('/v1/session')).account);
  } catch (error) {
    lost(error);
    return;
  }
  byId('welcome').hidden = true;
  for (const id of ['content', 'sections', 'logout']) byId(id).hidden = false;
  byId('proof-check').addEventListener('click', prove);
  byId('logout').addEventListener('click', async () => {
    await ask('/v1/logout', {}).catch(() => {});
    welcome('You are logged out.');
  });
  feed.start((line) => later(line.decision === 'allow' ? SUMS_MILLIS : SOON_MILLIS), onState);
  await refresh();
  if (meant) approvals.reveal(meant);
  await prove();
  setInterval(() => { if (!document.hidden) later(); }, REFRESH_MILLIS);
}

addEventListener('hashchange', () => { if (location.hash.startsWith('#login=')) location.reload(); });
begin();
