'use strict';
// The search of the documentation: over what the page already contains, without requests.
(() => {
  const MOST_RESULTS = 50;
  /** Milliseconds after which the index lets the browser do other work. */
  const SLICE = 24;
  const byId = (id) => document.getElementById(id);
  /** The kinds of results, in the order in which equally good ones are shown. */
  const KINDS = ['collection', 'operation', 'field', 'filter', 'relation', 'event', 'error code', 'convention'];
  let index = null;
  let latest = 0;

  /** The entries of the page, read once, in slices. */
  function readIndex() {
    index ??= readEntries(document.querySelectorAll('main > section'));
    return index;
  }

  async function readEntries(sections) {
    const entries = [];
    let end = performance.now() + SLICE;
    for (const section of sections) {
      if (performance.now() > end) {
        await yieldToBrowser();
        end = performance.now() + SLICE;
      }
      for (const entry of readSection(section)) entries.push(entry);
    }
    return entries;
  }

  function yieldToBrowser() {
    return globalThis.scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
  }

  function* readSection(section) {
    const title = section.querySelector('h2').textContent;
    const place = section.classList.contains('resource') ? title : '';
    const lead = section.querySelector('.lead')?.textContent ?? '';
    if (place !== '') yield makeEntry(section, { kind: 'collection', name: title, about: lead, place });
    for (const row of section.querySelectorAll('.operations > li')) {
      const [verb, what, path] = ['.verb', '.what > span', '.path'].map((each) => row.querySelector(each).textContent);
      yield makeEntry(row, { kind: 'operation', name: what, about: `${verb} ${path}`, place });
    }
    for (const list of section.querySelectorAll('.members')) {
      const kind = list.dataset.kind ?? 'convention';
      for (const row of list.children) {
        const [name, ...about] = row.children;
        const words = about.map(({ textContent }) => textContent).join(' ');
        yield makeEntry(row, { kind, name: name.textContent, about: words, place });
      }
    }
    if (place !== '') return;
    for (const topic of section.querySelectorAll(':scope > details'))
      yield makeEntry(topic, { kind: 'convention', name: topic.firstElementChild.textContent, about: '', place });
  }

  function makeEntry(element, { kind, name, about, place }) {
    const [lowName, text] = [name.toLowerCase(), [name, place, kind, about].join(' ').toLowerCase()];
    return { element, kind, name, about, place, lowName, text, order: KINDS.indexOf(kind) };
  }

  /** The entries that have every word, the best first. */
  function findEntries(entries, query) {
    const words = query.toLowerCase().split(/\s+/);
    const found = entries.filter(({ text }) => words.every((word) => text.includes(word)));
    const rank = ({ lowName }) =>
      lowName === words[0] ? 0 : lowName.startsWith(words[0]) ? 1 : lowName.includes(words[0]) ? 2 : 3;
    return found
      .map((entry) => [rank(entry), entry])
      .sort(([one, { order }], [other, { order: otherOrder }]) => one - other || order - otherOrder)
      .map(([, entry]) => entry);
  }

  async function search() {
    latest += 1;
    const current = latest;
    const query = byId('search').value.trim();
    byId('results').hidden = query === '';
    byId('index').hidden = query !== '';
    if (query === '') {
      byId('results').replaceChildren();
      byId('found').textContent = '';
      return;
    }
    const entries = await readIndex();
    if (current === latest) show(findEntries(entries, query), query);
  }

  function show(found, query) {
    byId('results').replaceChildren(...found.slice(0, MOST_RESULTS).map(makeResult));
    byId('found').textContent = describe(found.length, query);
  }

  function describe(count, query) {
    if (count === 0) return `Nothing has “${query}”. Try a part of a name.`;
    if (count > MOST_RESULTS) return `The first ${MOST_RESULTS} of ${count} results`;
    return count === 1 ? '1 result' : `${count} results`;
  }

  function makeResult(entry) {
    const { kind, name, place, about, element } = entry;
    const link = document.createElement('a');
    link.href = `#${element.closest('[id]').id}`;
    const where = kind === 'operation' ? about : place === '' || place === name ? kind : `${kind} of ${place}`;
    link.append(makeElement('span', name), makeElement('small', where));
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(entry, link.hash);
    });
    const item = document.createElement('li');
    item.append(link);
    return item;
  }

  function makeElement(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  /** Shows the place of a result, with everything around it open, and gives it the focus. */
  function open({ element, kind }, hash) {
    if (location.hash !== hash) history.pushState(null, '', hash);
    for (let each = element.closest('details'); each !== null; each = each.parentElement.closest('details'))
      each.open = true;
    if (matchMedia('(max-width: 60rem)').matches) clear();
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: kind === 'collection' ? 'start' : 'center', behavior: 'instant' });
  }

  function clear() {
    byId('search').value = '';
    void search();
  }

  function moveInResults(event, step) {
    const stops = [byId('search'), ...byId('results').querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement);
    const next = stops[at + step];
    if (at === -1 || next === undefined) return;
    event.preventDefault();
    next.focus();
  }

  function answerKey(event) {
    if (event.target.closest('.search, #results') === null) {
      if (event.key === '/' && mayFocus(event)) focusSearch(event);
      return;
    }
    if (event.key === 'ArrowDown') moveInResults(event, 1);
    else if (event.key === 'ArrowUp') moveInResults(event, -1);
    else if (event.key === 'Enter' && event.target.id === 'search') byId('results').querySelector('a')?.click();
    else if (event.key === 'Escape') {
      clear();
      byId('search').focus();
    }
  }

  /** True if a key is no text of a field, and no shortcut of the browser. */
  function mayFocus({ target, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey || byId('search') === null) return false;
    return !target.matches('input, textarea, select') && document.querySelector('dialog[open]') === null;
  }

  function focusSearch(event) {
    event.preventDefault();
    byId('search').focus();
    byId('search').select();
  }

  document.addEventListener('keydown', answerKey);
  document.addEventListener('input', ({ target }) => {
    if (target.id === 'search') void search();
  });
  document.addEventListener('focusin', ({ target }) => {
    if (target.id === 'search') void readIndex();
  });
  document.addEventListener('contentshown', () => (index = null));
})();
