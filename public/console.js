// Pages come whole from the server. This module hydrates their islands, and shows the next page without loading the document again: it fetches
// the page and puts what differs into the one that is shown, so that focus, ticks and typed text stay. Where that is not possible, the browser
// loads the page as it would without this module.

const base = new URL('.', import.meta.url);
const root = document.documentElement;
const main = () => document.getElementById('main');
// The message about the last form.
const toast = () => main()?.querySelector('.toast');
// Where the last form was sent from, in the storage of this tab.
const SENT = 'rmb-sent';
// The pages of the console have its navigation; the sign-in page has not.
const framed = (page) => page.querySelector('[data-frame]') && page.getElementById('main');
// Islands and scripts of another version of the server do not fit these.
const version = (page) => page.querySelector('script[type=module][src]')?.getAttribute('src');

/** The exported functions of the WebAssembly module, one for each kind of island, once it is there. */
let islands;

function hydrate(within) {
  for (const island of islands ? within.querySelectorAll('leptos-island') : []) {
    if (island.hydrated) continue;
    island.hydrated = true;
    islands[island.dataset.component](island);
  }
}

async function start() {
  const module = await import(new URL('pkg/remembrancer.js', base));
  await module.default({ module_or_path: new URL('pkg/remembrancer.wasm', base) });
  module.hydrate();
  islands = module;
  hydrate(document);
  // Shows what works with JavaScript only, and tells the tests.
  root.setAttribute('data-hydrated', '');
}

// ---- putting what differs into the page

// A field named `id` hides the property of its form.
const idOf = (node) => node.getAttribute?.('id') ?? '';

/** Turns `old` into `next` where they differ. Equal parts are left alone, with what was ticked, typed, opened or focused in them. */
function patch(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeName !== next.nodeName || idOf(old) !== idOf(next)) return old.replaceWith(next);
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.data = next.data);
  // The server shows a secret once: it stays until another page is opened.
  if (old.dataset.once !== undefined) return;
  if (old.localName === 'leptos-island') {
    const same = ['component', 'props'].every((name) => old.dataset[name] === next.dataset[name]);
    return same ? undefined : old.replaceWith(next);
  }
  field(old, next);
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.localName === 'textarea') {
    // What was typed is worth more than what the server remembers of it.
    if (old.value === old.defaultValue) old.value = old.defaultValue = next.defaultValue;
    return;
  }
  children(old, next);
}

/** Gives a field the value that the server rendered, where the server rendered another one than before. */
function field(old, next) {
  const [before, after] = [old.getAttribute('value'), next.getAttribute('value')];
  if (old.localName === 'option' && old.hasAttribute('selected') !== next.hasAttribute('selected')) old.selected = next.hasAttribute('selected');
  if (old.localName !== 'input') return;
  // A tick is about the value of its box.
  const ticks = old.type === 'checkbox' || old.type === 'radio';
  if (ticks && (before !== after || old.hasAttribute('checked') !== next.hasAttribute('checked'))) old.checked = next.hasAttribute('checked');
  if (!ticks && before !== after) old.value = after ?? '';
}

/** Pairs the children by id, else by place. */
function children(old, next) {
  const named = new Map([...old.children].filter(idOf).map((child) => [idOf(child), child]));
  let place = old.firstChild;
  for (const child of [...next.childNodes]) {
    let found = named.get(idOf(child));
    if (!found && place && place.nodeName === child.nodeName && !idOf(child) && !idOf(place)) found = place;
    if (found) {
      if (found === place) place = place.nextSibling;
      else old.insertBefore(found, place);
      patch(found, child);
    } else old.insertBefore(child, place);
  }
  while (place) {
    const rest = place.nextSibling;
    place.remove();
    place = rest;
  }
}

// ---- what was typed and not sent

/** The fields of forms that change something, with what tells each from those of other rows. */
function* typed() {
  for (const field of main().querySelectorAll('form[method=post]:not([data-keep]) :is(textarea, input:not([type]), input[type=text])')) {
    const about = [...field.form.querySelectorAll('input[type=hidden]')].filter(({ name }) => ['id', 'ids', 'entry', 'source', 'speaker', 'turn', 'what'].includes(name));
    yield [field, [field.form.getAttribute('action'), ...about.map(({ value }) => value), field.name, field.defaultValue].join('\n')];
  }
}

/** By field, until the document is loaded again. A form that is sent loads it. */
const drafts = new Map();

function keepDrafts() {
  for (const [field, key] of typed()) field.value === field.defaultValue ? drafts.delete(key) : drafts.set(key, field.value);
}

function giveDrafts() {
  for (const [field, key] of typed()) if (drafts.has(key) && field.value === field.defaultValue) field.value = drafts.get(key);
}

// Tells screen readers which page is shown.
const heard = Object.assign(document.createElement('p'), { className: 'sr-only', ariaLive: 'polite' });
document.body.append(heard);

/** Shows a fetched page. With `same`, it is the page that is shown, in another state; with `keep`, its list is the same, too. */
function show(page, same, keep) {
  document.title = page.title;
  keepDrafts();
  const [frames, parts] = [document, page].map((one) => one.querySelectorAll('[data-frame]'));
  // Without the account, which could not be loaded, they do not correspond.
  if (frames.length === parts.length) frames.forEach((frame, n) => patch(frame, parts[n]));
  const [told, message] = [toast(), page.querySelector('#main .toast')];
  if (same) {
    // A message about the last form stays until it is dismissed or another page is opened, and its undo leads back to this state.
    if (told && !message) page.getElementById('main').prepend(told.cloneNode(true));
    const boxes = keep ? [] : main().querySelectorAll('table input[type=checkbox]:checked');
    for (const box of boxes) box.checked = false;
    patch(main(), page.getElementById('main'));
    // The ticks that are left are counted.
    for (const form of main().querySelectorAll('form')) form.dispatchEvent(new Event('change'));
    for (const field of main().querySelectorAll('.toast input[name=done]')) field.value = location.pathname + location.search;
  } else {
    main().replaceChildren(...page.getElementById('main').childNodes);
    heard.textContent = page.title;
  }
  giveDrafts();
  if (!keep) for (const menu of document.querySelectorAll('header details')) menu.open = false;
  hydrate(document);
}

// ---- going to a page

let visit;
let again;
let shown = location.pathname;
let address = shown + location.search;

/** Leaves a page to the browser. Assigning the present address with a hash would only scroll. */
const leave = (url) => (url === location.href ? location.reload() : location.assign(url));

/** Opens a page of this server. With `quiet`, the present page is refreshed; then a failure changes nothing. `state` is kept with its entry. */
async function go(url, { history: kind = 'push', state = {}, scroll = true, top, quiet = false, body } = {}) {
  // A refresh never replaces what the reader started.
  if (quiet && visit) return;
  clearTimeout(again);
  visit?.abort();
  const mine = (visit = new AbortController());
  if (!quiet) main()?.setAttribute('aria-busy', 'true');
  try {
    const headers = { Accept: 'text/html', ...(quiet && { 'rmb-refresh': '1' }) };
    const response = await fetch(url, { method: body ? 'POST' : 'GET', body, headers, signal: mine.signal });
    const html = response.headers.get('content-type')?.startsWith('text/html');
    const page = new DOMParser().parseFromString(html ? await response.text() : '', 'text/html');
    // Parsed without scripting, what is meant for browsers without it would come to life in this one.
    for (const fallback of page.querySelectorAll('noscript')) fallback.replaceChildren();
    if (mine.signal.aborted) return;
    // The server does not know of a form that a script opened: a refresh would take it away, with its words.
    if (quiet && (!response.ok || main()?.querySelector('[data-opened]'))) return arrived();
    const here = new URL(response.url);
    here.hash = new URL(url).hash || here.hash;
    // The sign-in page, a page of another version, something that is no page: the browser's work.
    if (!framed(page) || !framed(document) || version(page) !== version(document)) {
      if (!body) return leave(url);
      // After a redirect the answer has an address of its own; that of the sign-in page contains the way back.
      if (response.redirected) return leave(response.url);
      throw new Error(`status ${response.status}`);
    }
    const same = here.pathname === shown;
    const focused = document.activeElement !== document.body;
    if (kind === 'push') keepScroll();
    if (here.href !== location.href) history[kind === 'push' ? 'pushState' : 'replaceState'](state, '', here);
    shown = here.pathname;
    address = shown + here.search;
    show(page, same, quiet || !scroll);
    if (top !== undefined) scrollTo(0, top);
    else if (scroll && !quiet && !(same && body)) scrollTo(0, 0);
    if (!quiet) land();
    // The focus went with what was replaced.
    if (!body && (!same || focused) && document.activeElement === document.body) main().focus({ preventScroll: true });
    if (kind === 'push') keepScroll();
    arrived();
  } catch (error) {
    if (mine.signal.aborted) return;
    if (body) throw error;
    if (quiet) return arrived();
    leave(url);
  } finally {
    if (visit === mine) {
      visit = undefined;
      main()?.removeAttribute('aria-busy');
      dispatchEvent(new Event('rmb:shown'));
    }
  }
}

/** Shows the part of the page from which a form was sent, where the form led back to the page. */
function answered() {
  const sent = JSON.parse(sessionStorage.getItem(SENT) ?? '{}');
  sessionStorage.removeItem(SENT);
  if (sent.page === location.pathname && toast() && !location.hash) scrollTo(0, sent.top);
}

/**
 * Focuses the row that the address names, so that the keyboard goes on where a form led back to, and shows the row of an open panel and the
 * link of the page in the sidebar.
 */
function land() {
  document.querySelector('[data-scrolls] [aria-current]')?.scrollIntoView({ block: 'nearest' });
  const named = document.getElementById(location.hash.slice(1));
  // Rows that can be landed on have a tab index; a link of this page to one of its parts moves the focus by itself.
  if (named?.hasAttribute('tabindex')) named.focus();
  else if (named) named.scrollIntoView();
  main()?.querySelector('tr[id][aria-current=true]')?.scrollIntoView({ block: 'nearest' });
}

/** Runs after each page: refreshes unfinished work after two seconds, and follows what happens. */
function arrived() {
  clearTimeout(again);
  if (main()?.querySelector('[data-again]')) again = setTimeout(refresh, 2000);
  follow();
}

/** Shows the present page as the server renders it now. */
const refresh = () => go(location.href, { history: 'replace', quiet: true });

let live;
let news;

/** Shows what happened. A page on its way may be older, so it is waited for. */
function tell() {
  news = visit ? setTimeout(tell, 5000) : undefined;
  if (!news) void refresh();
}

/** Follows what happens while a page that shows it is in view. Without the stream the page stays as it is. */
function follow() {
  if (document.hidden || !main()?.querySelector('[data-live]')) {
    clearTimeout(news);
    live?.close();
    live = news = undefined;
  } else if (!live) {
    live = new EventSource('/live');
    live.onmessage = () => {
      news ??= setTimeout(tell, 5000);
    };
    // The browser does not connect again after an answer that is no stream, such as one that finds no room.
    live.onerror = () => {
      if (live?.readyState !== EventSource.CLOSED) return;
      clearTimeout(news);
      news = setTimeout(() => {
        live = news = undefined;
        follow();
        if (live) void refresh();
      }, 30_000);
    };
  }
}

document.addEventListener('visibilitychange', () => {
  follow();
  // What happened while nobody looked.
  if (live) void refresh();
});

// ---- what readers do

addEventListener('click', (event) => {
  const dismiss = event.target.closest?.('[data-dismiss]');
  if (dismiss) {
    event.preventDefault();
    dismiss.closest('.toast').classList.add('hidden');
  }
  const link = event.target.closest?.('a');
  // The menu of `Ctrl K` opens in place of the search page.
  if (islands && link?.matches('[data-go-to]')) return;
  const modified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  if (event.defaultPrevented || modified || !link?.getAttribute('href') || !main()) return;
  const url = new URL(link.getAttribute('href'), location.href);
  const elsewhere = url.origin !== location.origin || link.hasAttribute('target') || link.hasAttribute('download') || /\bexternal\b/.test(link.getAttribute('rel'));
  const part = url.hash && url.pathname === location.pathname && url.search === location.search;
  if (elsewhere || part) return;
  event.preventDefault();
  // A panel's steps take the place of one another, so that going back leaves the panel instead of retracing each step.
  void go(url.href, { history: link.hasAttribute('data-replace') ? 'replace' : 'push', scroll: !link.hasAttribute('data-noscroll') });
});

/** The address of a search form with its fields. Those that are left empty are no filters. */
function searched(form, fields) {
  const url = new URL(form.getAttribute('action'), location.href);
  url.search = new URLSearchParams([...fields].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  return url.href;
}

// In the filters of a list a choice applies at once, what is typed with Enter or the button. Choices in a row are one step of the history.
addEventListener('change', ({ target }) => {
  if (target.localName !== 'select' || !target.form?.querySelector('[data-applies]')) return;
  const kind = history.state?.chosen ? 'replace' : 'push';
  void go(searched(target.form, new FormData(target.form)), { history: kind, state: { chosen: true }, top: scrollY });
});

addEventListener('submit', (event) => {
  const form = event.target;
  if (event.defaultPrevented || !main()) return;
  if (form.method === 'post') sessionStorage.setItem(SENT, JSON.stringify({ page: location.pathname, top: scrollY }));
  const fields = new URLSearchParams([...new FormData(form, event.submitter)].filter(([, value]) => typeof value === 'string'));
  if (form.matches('[role=search][method=get]')) {
    event.preventDefault();
    void go(searched(form, fields), { top: scrollY });
  } else if (form.matches('[data-keep]')) {
    // A long text is not sent back by a server that refuses it; here it stays in its field.
    event.preventDefault();
    const button = event.submitter;
    if (button?.disabled) return;
    if (button) button.disabled = true;
    go(new URL(form.getAttribute('action'), location.href).href, { body: fields })
      .catch(() => {
        // The form may be of an older session: the page as it is now has a token that the server takes.
        void go(location.href, { history: 'replace', quiet: true });
        alert('The server cannot be reached, or it refused the text. Your text is still in its field. Try again.');
      })
      .finally(() => {
        if (button) button.disabled = false;
        if (document.activeElement === document.body) button?.focus();
      });
  }
});

// A form that is unfolded is for writing, and what it is about stays in sight.
const unfolded = ({ target }) => target.open && target.matches('details[data-write]') && target.querySelector('textarea')?.focus({ preventScroll: true });
addEventListener('toggle', unfolded, true);

// ---- words of a source that are selected

const turnOf = (node) => (node?.closest ? node : node?.parentElement)?.closest('[data-turn]');

/** What is selected, if it is inside one turn that takes candidates. */
function selectedWords() {
  const selection = getSelection();
  const turn = turnOf(selection.anchorNode) ?? turnOf(selection.focusNode);
  const words = String(selection).trim();
  // A triple click selects as far as the beginning of the next turn.
  return words && turn?.textContent.includes(words) ? { turn, words, place: selection.getRangeAt(0).getBoundingClientRect() } : undefined;
}

document.addEventListener('selectionchange', () => {
  const add = main()?.querySelector('[data-add-selected]');
  if (!add) return;
  const selected = selectedWords();
  add.hidden = !selected;
  if (selected) add.style.top = `${selected.place.bottom - add.parentElement.getBoundingClientRect().top}px`;
});
// Pressing the button would take the selection away, and the button with it.
addEventListener('mousedown', (event) => event.target.closest?.('[data-add-selected]') && event.preventDefault());
addEventListener('click', (event) => {
  const selected = event.target.closest?.('[data-add-selected]') && selectedWords();
  const form = document.getElementById('add-candidate');
  if (!selected || !form) return;
  selected.turn.parentElement.append(form);
  form.hidden = false;
  // Until the form is sent or cancelled, the page is not refreshed.
  form.setAttribute('data-opened', '');
  form.querySelector('[name=turn]').value = selected.turn.dataset.turn;
  const words = form.querySelector('[name=words]');
  words.value = selected.words;
  words.focus();
});

// ---- the browser's history

history.scrollRestoration = 'manual';

function keepScroll() {
  history.replaceState({ ...history.state, top: scrollY }, '');
}

addEventListener('scrollend', keepScroll);
addEventListener('pagehide', keepScroll);
addEventListener('popstate', () => {
  const top = history.state?.top;
  // Another part of the same page: the browser scrolls to it, except when it goes back.
  if (location.pathname + location.search === address) return void (top !== undefined && scrollTo(0, top));
  void go(location.href, { history: 'replace', top: top ?? 0 });
});
// Some browsers fail a running fetch when they leave the page.
addEventListener('beforeunload', () => visit?.abort());
addEventListener('rmb:stale', () => framed(document) && void go(location.href, { history: 'replace', quiet: true }));

if (history.state?.top) scrollTo(0, history.state.top);
else answered();
land();
if (document.activeElement === document.body && !main()?.querySelector('[autofocus]')) toast()?.focus({ preventScroll: true });
arrived();
// When the browser is idle: the page is readable and its links and forms work before.
if ('requestIdleCallback' in window) requestIdleCallback(() => void start(), { timeout: 2000 });
else void start();
