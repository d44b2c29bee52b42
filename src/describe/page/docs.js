'use strict';
// The documentation: the field for the token, targets of links, and a description that needs the token to be read.
(() => {
  const KEY = 'restwright-token';
  const byId = (id) => document.getElementById(id);
  /** In the page and in the dialog of the form; none without authentication. */
  const fields = [...document.querySelectorAll('.token input')];

  function token() {
    return fields[0]?.value.trim() ?? '';
  }

  /** The token of this tab, which survives a reload and a change of the version. */
  function restoreToken() {
    for (const field of fields) {
      field.value = sessionStorage.getItem(KEY) ?? '';
      field.addEventListener('input', () => {
        for (const other of fields) other.value = field.value;
        if (field.value === '') sessionStorage.removeItem(KEY);
        else sessionStorage.setItem(KEY, field.value.trim());
      });
    }
  }

  /** The rest of a page that is for callers with a token: the same URL, with it. */
  function prepareLocked() {
    const unlock = byId('unlock');
    if (unlock === null) return;
    const update = () => (unlock.disabled = token() === '');
    fields[0].addEventListener('input', update);
    fields[0].addEventListener('keydown', ({ key }) => {
      if (key === 'Enter' && byId('unlock') !== null) void load();
    });
    unlock.addEventListener('click', () => void load());
    update();
    if (token() !== '') void load();
  }

  async function load() {
    const headers = { Accept: 'text/html', Authorization: `Bearer ${token()}` };
    try {
      const response = await fetch(location.href, { headers, mode: 'same-origin', cache: 'no-store' });
      const text = await response.text();
      if (response.ok) show(new DOMParser().parseFromString(text, 'text/html'));
      else showError(`${response.status}: ${JSON.parse(text).errorMessage}`);
    } catch (error) {
      showError(`Not loaded: ${error.message}`);
    }
  }

  function show(page) {
    const content = page.getElementById('content');
    if (content === null || content.hasAttribute('data-locked')) {
      showError('The server did not accept the token.');
      return;
    }
    byId('content').replaceWith(document.adoptNode(content));
    byId('paths').replaceWith(document.adoptNode(page.getElementById('paths')));
    openTarget();
    document.dispatchEvent(new Event('contentshown'));
    document.querySelector('main h2')?.scrollIntoView({ block: 'nearest' });
  }

  function showError(message) {
    byId('locked-error').textContent = message;
  }

  /** A link to a part that is closed opens it. */
  function openTarget() {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    if (target?.tagName === 'DETAILS') target.open = true;
  }

  addEventListener('hashchange', openTarget);
  restoreToken();
  openTarget();
  prepareLocked();
})();
