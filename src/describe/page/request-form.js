'use strict';
// The form of a page: sends requests to the origin of the page only, and shows the same request with curl. In a page with a field for a token,
// requests below the root of the API carry it; in a page with a dialog, the form is in it.
(() => {
  const LONGEST_BODY = 200_000;
  const byId = (id) => document.getElementById(id);
  const form = document.querySelector('form.request');
  const dialog = form.closest('dialog');
  const { root } = form.dataset;
  const [method, path, body, fields] = ['method', 'path', 'body', 'fields'].map(byId);
  let latest = 0;

  /** The request of the form; throws where it cannot be sent. */
  function readRequest() {
    const url = new URL(path.value, location.origin);
    if (!path.value.startsWith('/') || url.origin !== location.origin)
      throw new Error('The path must begin with one slash: requests go to this server only.');
    const [unset] = placeholder() ?? [];
    if (unset !== undefined) throw new Error(`Replace ${unset} in the path by an id.`);
    const headers = [];
    for (const line of fields.value.split('\n')) {
      const colon = line.indexOf(':');
      if (line.trim() === '') continue;
      if (colon < 1) throw new Error(`Write header fields as "Name: value", not "${line}".`);
      headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    }
    const content = takesBody() && body.value !== '' ? body.value : null;
    const hasType = new Headers(headers).has('Content-Type');
    if (takesBody() && !hasType) headers.push(['Content-Type', contentType()]);
    return { method: method.value, url, headers, content, token: tokenFor(url, headers) };
  }

  /** The part of the path that stands for an id. */
  function placeholder() {
    return /\{[^{}/]*\}/.exec(path.value.replace(/\?.*$/, ''));
  }

  /** The token of the page; none for what is not the API, and where a header field of the form has another. */
  function tokenFor(url, headers) {
    const token = byId('token')?.value.trim() ?? '';
    return token !== '' && isOfApi(url) && !new Headers(headers).has('Authorization') ? token : null;
  }

  function isOfApi(url) {
    return url.origin === location.origin && `${url.pathname}/`.startsWith(`${root}/`);
  }

  function takesBody() {
    return ['POST', 'PUT', 'PATCH', 'QUERY'].includes(method.value);
  }

  function contentType() {
    return method.value === 'QUERY' ? 'application/x-www-form-urlencoded' : 'application/json';
  }

  function quoted(text) {
    return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  }

  /** A command line for POSIX shells. Brackets would be ranges for curl without -g. */
  function curlOf({ method: name, url, headers, content, token }) {
    const glob = /[[\]{}]/.test(url.href) ? ' -g' : '';
    const how = { GET: '', HEAD: ' -I' }[name] ?? ` -X ${name}`;
    const lines = [`curl${glob}${how} ${quoted(url.href)}`];
    for (const [field, value] of headers) lines.push(`-H ${quoted(`${field}: ${value}`)}`);
    // By a variable of the shell: the command can be shown and shared.
    if (token !== null) lines.push('-H "Authorization: Bearer $TOKEN"');
    if (content !== null) lines.push(`--data-raw ${quoted(content)}`);
    return lines.join(' \\\n  ');
  }

  function update() {
    byId('body-part').hidden = !takesBody();
    byId('error').textContent = '';
    try {
      byId('curl').textContent = curlOf(readRequest());
    } catch (error) {
      byId('curl').textContent = '';
      byId('error').textContent = error.message;
    }
  }

  async function send() {
    update();
    if (byId('curl').textContent === '') return;
    const { method: name, url, headers, content, token } = readRequest();
    if (token !== null) headers.push(['Authorization', `Bearer ${token}`]);
    latest += 1;
    const current = latest;
    byId('response').hidden = false;
    byId('status').textContent = 'Waiting';
    byId('status').className = '';
    const start = performance.now();
    try {
      const options = { method: name, headers, body: content, mode: 'same-origin', cache: 'no-store' };
      const response = await fetch(url, options);
      const text = await response.text();
      if (current === latest) show(response, text, performance.now() - start);
      byId('response').scrollIntoView({ block: 'nearest' });
    } catch (error) {
      if (current === latest) showFailure(error);
    }
  }

  function show(response, text, time) {
    const { status, statusText, headers } = response;
    byId('status').textContent = `${[status, statusText].join(' ').trim()} · ${Math.round(time)} ms`;
    byId('status').className = status < 400 ? 'good' : 'bad';
    byId('response-fields').replaceChildren(
      ...[...headers].flatMap(([name, value]) => [element('dt', name), element('dd', value)]),
    );
    byId('head').hidden = false;
    const shown = readable(text, headers.get('Content-Type') ?? '');
    byId('response-body').replaceChildren(...linked(shown.slice(0, LONGEST_BODY)));
    if (shown.length > LONGEST_BODY) byId('response-body').append('\n… the rest is not shown');
    byId('response-body').hidden = shown === '';
  }

  function showFailure(error) {
    byId('status').textContent = `Not sent, or no response: ${error.message}`;
    byId('status').className = 'bad';
    byId('head').hidden = true;
    byId('response-body').hidden = true;
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function readable(text, type) {
    if (!/[/+]json$/.test(type)) return text;
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  /** Text nodes, and links for strings that are URLs of the API. */
  function linked(text) {
    return text.split(/("(?:\/|https?:)[^"\\\s]*")/).map((part, index) => {
      if (index % 2 === 0) return part;
      const url = URL.parse(part.slice(1, -1), location.origin);
      if (url === null || !isOfApi(url)) return part;
      const link = element('a', part);
      link.href = url.href;
      link.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        fill('GET', url.pathname + url.search);
        void send();
      });
      return link;
    });
  }

  function fill(name, target, content) {
    method.value = name;
    path.value = target;
    if (content !== undefined) body.value = content;
    update();
  }

  async function copy() {
    const button = byId('copy');
    try {
      await navigator.clipboard.writeText(byId('curl').textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(byId('curl'));
      button.textContent = 'Selected';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  }

  /** Shows the request of a button. A read is sent, unless an id is missing. */
  function startRequest({ method: name, path: target, body: content, fields: lines, key }) {
    fill(name, target, content);
    if (lines !== undefined) fields.value = key === undefined ? lines : `${lines}Idempotency-Key: ${randomKey()}`;
    if (lines !== undefined) fields.closest('details').open = fields.value !== '';
    update();
    reveal();
    const missing = placeholder();
    if (name === 'GET' && missing === null) void send();
    (missing === null && content !== undefined ? body : path).focus({ preventScroll: true });
    if (missing !== null) path.setSelectionRange(missing.index, missing.index + missing[0].length);
  }

  function reveal() {
    if (dialog === null) {
      byId('request').scrollIntoView();
      return;
    }
    byId('response').hidden = true;
    dialog.showModal();
  }

  function randomKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  document.addEventListener('click', ({ target }) => {
    const button = target.closest('button[data-path]');
    if (button !== null) startRequest(button.dataset);
  });
  byId('token')?.closest('.token').addEventListener('input', update);
  byId('close')?.addEventListener('click', () => dialog.close());
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  byId('copy').addEventListener('click', () => void copy());
  form.hidden = false;
  document.documentElement.classList.add('scripted');
  update();
})();
