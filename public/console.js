// Pages come whole from the server. This module hydrates their islands, and shows the next page without loading the document again: it fetches
// the page and puts what differs into the one that is shown, so that focus, ticks and typed text stay. Where that is not possible, the browser
// loads the page as it would without this module.

const base = new URL('.', import.meta.url);
const root = document.documentElement;
const main = () => document.getElementById('main');
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

/** Turns `old` into `next` where they differ. Equal parts are left alone, with what was ticked, typed, opened or focused in them. */
function patch(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeName !== next.nodeName || old.id !== next.id) return old.replaceWith(next);
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.data = next.data);
  if (old.localName === 'leptos-island') {
    const same = ['component', 'props'].every((name) => old.dataset[name] === next.dataset[name]);
    return same ? undefined : old.replaceWith(next);
  }
  field(old, next);
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  // What was typed is worth more than what the server remembers of it.
  if (old.localName === 'textarea') return;
  children(old, next);
}

/** Gives a field the value that the server rendered, where the server rendered another one than before. */
function field(old, next) {
  const [before, after] = [old.getAttribute('value'), next.getAttribute('value')];
  if (old.localName === 'option' && old.hasAttribute('selected') !== next.hasAttribute('selected')) old.selected = next.hasAttribute('selected');
  if (old.localName === 'input' && old.hasAttribute('checked') !== next.hasAttribute('checked')) old.checked = next.hasAttribute('checked');
  else if (old.localName === 'input' && old.type !== 'checkbox' && old.type !== 'radio' && before !== after) old.value = after ?? '';
}

/** Pairs the children by id, else by place. */
function children(old, next) {
  const named = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  let place = old.firstChild;
  for (const child of [...next.childNodes]) {
    let found = child.id && named.get(child.id);
    if (!found && place && place.nodeName === child.nodeName && !child.id && !place.id) found = place;
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

/** Shows a fetched page. With `same`, it is the page that is shown, in another state; with `keep`, its list is the same, too. */
function show(page, same, keep) {
  document.title = page.title;
  const parts = page.querySelectorAll('[data-frame]');
  for (const [i, part] of document.querySelectorAll('[data-frame]').entries()) if (parts[i]) patch(part, parts[i]);
  const [toast, message] = [main().querySelector('.toast'), page.querySelector('#main .toast')];
  if (same) {
    // A message about the last form stays until it is dismissed or another page is opened, and its undo leads back to this state.
    if (toast && !message) page.getElementById('main').prepend(toast.cloneNode(true));
    const boxes = keep ? [] : main().querySelectorAll('table input[type=checkbox]:checked');
    for (const box of boxes) box.checked = false;
    patch(main(), page.getElementById('main'));
    for (const form of new Set([...boxes].map((box) => box.form))) form?.dispatchEvent(new Event('change'));
    for (const field of main().querySelectorAll('.toast input[name=done]')) field.value = location.pathname + location.search;
  } else {
    main().replaceChildren(...page.getElementById('main').childNodes);
    for (const menu of document.querySelectorAll('header details')) menu.open = false;
  }
  hydrate(document);
}

// ---- going to a page

let visit;
let shown = location.pathname;

/** Opens a page of this server. */
async function go(url, { history: kind = 'push', scroll = true, top, quiet = false, body } = {}) {
  visit?.abort();
  const mine = (visit = new AbortController());
  if (!quiet) main()?.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(url, { method: body ? 'POST' : 'GET', body, headers: { Accept: 'text/html' }, signal: mine.signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // Parsed without scripting, what is meant for browsers without it would come to life in this one.
    for (const fallback of page.querySelectorAll('noscript')) fallback.replaceChildren();
    const here = new URL(response.url);
    here.hash = new URL(url).hash || here.hash;
    if (mine.signal.aborted) return;
    // The sign-in page, a page of another version, something that is no page: the browser's work.
    if (!framed(page) || !framed(document) || version(page) !== version(document)) return body ? location.reload() : location.assign(url);
    const same = here.pathname === shown;
    if (kind === 'push') keepScroll();
    if (here.href !== location.href) history[kind === 'push' ? 'pushState' : 'replaceState']({}, '', here);
    shown = here.pathname;
    show(page, same, quiet || !scroll);
    if (top !== undefined) scrollTo(0, top);
    else if (scroll && !same) scrollTo(0, 0);
    if (!quiet) land();
    // The focus went with what was replaced.
    if (!same && document.activeElement === document.body) main().focus({ preventScroll: true });
    arrived();
  } catch (error) {
    if (mine.signal.aborted) return;
    if (body) throw error;
    location.assign(url);
  } finally {
    if (visit === mine) {
      visit = undefined;
      main()?.removeAttribute('aria-busy');
      dispatchEvent(new Event('rmb:shown'));
    }
  }
}

/** Focuses the row that the address names, so that the keyboard goes on where a form led back to, and shows the row of an open panel. */
function land() {
  const named = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  // Rows that can be landed on have a tab index; a link of this page to one of its parts moves the focus by itself.
  if (named?.hasAttribute('tabindex')) named.focus();
  else if (named) named.scrollIntoView();
  main()?.querySelector('tr[aria-current=true]')?.scrollIntoView({ block: 'nearest' });
}

let again;

/** What is done whenever a page is shown: unfinished work is looked at again after two seconds. */
function arrived() {
  clearTimeout(again);
  if (main()?.querySelector('[data-again]')) again = setTimeout(() => go(location.href, { history: 'replace', quiet: true }), 2000);
}

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

addEventListener('submit', (event) => {
  const form = event.target;
  if (event.defaultPrevented || !main()) return;
  const fields = new URLSearchParams([...new FormData(form, event.submitter)].filter(([, value]) => typeof value === 'string'));
  if (form.matches('[role=search][method=get]')) {
    event.preventDefault();
    const url = new URL(form.getAttribute('action'), location.href);
    // Fields that are left empty are no filters.
    url.search = new URLSearchParams([...fields].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    void go(url.href, { top: scrollY });
  } else if (form.matches('[data-keep]')) {
    // A long text is not sent back by a server that refuses it; here it stays in its field.
    event.preventDefault();
    const button = event.submitter;
    if (button?.disabled) return;
    if (button) button.disabled = true;
    go(new URL(form.getAttribute('action'), location.href).href, { body: fields })
      .catch(() => HTMLFormElement.prototype.submit.call(form))
      .finally(() => button && (button.disabled = false));
  }
});

// ---- the browser's history

history.scrollRestoration = 'manual';

function keepScroll() {
  history.replaceState({ ...history.state, top: scrollY }, '');
}

addEventListener('scrollend', keepScroll);
addEventListener('pagehide', keepScroll);
addEventListener('popstate', () => void go(location.href, { history: 'replace', top: history.state?.top ?? 0 }));
addEventListener('rmb:stale', () => framed(document) && void go(location.href, { history: 'replace', quiet: true }));

if (history.state?.top) scrollTo(0, history.state.top);
land();
arrived();
// When the browser is idle: the page is readable and its links and forms work before.
if ('requestIdleCallback' in window) requestIdleCallback(() => void start(), { timeout: 2000 });
else void start();
