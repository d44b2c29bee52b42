'use strict';
// The responses of an operation, with an example and the schema of each: from the served description, loaded when the first one is opened.
(() => {
  /** Values of a schema that are shown in place of references; further ones stay references. */
  const MOST_VALUES = 1_000;
  let description = null;

  /** The description of the version, once for the page. */
  function loadDescription() {
    description ??= requestDescription().catch((error) => {
      description = null;
      throw error;
    });
    return description;
  }

  async function requestDescription() {
    const { openapi, needsToken } = document.getElementById('content').dataset;
    const token = document.getElementById('page-token')?.value.trim() ?? '';
    const headers = { Accept: 'application/json' };
    if (needsToken !== undefined && token !== '') headers.Authorization = `Bearer ${token}`;
    const response = await fetch(new URL(openapi, location.href), { headers, mode: 'same-origin' });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response.json();
  }

  async function fill(details) {
    if (details.querySelector('.responses') !== null) return;
    const { method, path } = details.parentElement.querySelector('button[data-path]').dataset;
    const place = makeElement('div', '');
    place.className = 'responses';
    const state = makeElement('p', 'Loading the examples and schemas');
    state.className = 'note';
    state.setAttribute('role', 'status');
    place.append(state);
    details.append(place);
    try {
      const api = await loadDescription();
      const { responses } = api.paths[path][method.toLowerCase()];
      const summary = details.parentElement.querySelector('.what > span').textContent;
      const shown = Object.entries(responses).map(([status, response]) =>
        makeResponse(api, { status, response: resolve(api, response), summary }),
      );
      shown[0].open = true;
      place.replaceChildren(...shown);
    } catch (error) {
      place.remove();
      details.append(
        makeFailure(`The examples were not loaded: ${error.message}. Close and open this part to try again.`),
      );
    }
  }

  function makeFailure(message) {
    const place = makeElement('p', message);
    place.className = 'error';
    place.setAttribute('role', 'alert');
    return place;
  }

  /** One response, whose content is made when it is opened. */
  function makeResponse(api, { status, response, summary }) {
    const details = document.createElement('details');
    const title = document.createElement('summary');
    title.append(makeElement('code', status), ` ${response.description ?? ''}`);
    details.append(title);
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1)
        details.append(...makeContent(api, response, `${status}: ${summary}`));
    });
    return details;
  }

  function* makeContent(api, { content = {}, headers = {} }, label) {
    const types = Object.keys(content).filter((type) => !type.includes('/vnd.'));
    yield makeNote(types.length === 0 ? 'No body.' : `Body: ${types.join(', ')}`);
    if (Object.keys(headers).length > 0) yield makeNote(`Header fields: ${Object.keys(headers).join(', ')}`);
    const media = content['application/json'] ?? content[types[0]];
    if (media?.schema === undefined) return;
    const example = media.example ?? findExample(api, media.schema);
    if (example !== undefined) yield* makeBlock('Example', example, label);
    yield* makeBlock(
      'Schema',
      replaceReferences(api, media.schema, { path: [], left: { values: MOST_VALUES } }),
      label,
    );
  }

  function makeNote(text) {
    const note = makeElement('p', text);
    note.className = 'note';
    return note;
  }

  function makeBlock(title, value, label) {
    const block = makeElement('pre', JSON.stringify(value, null, 2));
    block.tabIndex = 0;
    block.setAttribute('role', 'group');
    block.setAttribute('aria-label', `${title} of ${label}`);
    const heading = makeElement('p', title);
    heading.className = 'title';
    return [heading, block];
  }

  /** The first example that a schema, or a schema that it names, has. */
  function findExample(api, schema, depth = 0) {
    const named = resolve(api, schema);
    if (named?.examples !== undefined) return named.examples[0];
    for (const each of named?.anyOf ?? named?.oneOf ?? named?.allOf ?? []) {
      const example = depth < 8 ? findExample(api, each, depth + 1) : undefined;
      if (example !== undefined) return example;
    }
    return undefined;
  }

  /** A schema with what it refers to in place of the references, but for those that lead back, and without examples. */
  function replaceReferences(api, value, { path, left }) {
    if (typeof value !== 'object' || value === null) return value;
    left.values -= 1;
    if (Array.isArray(value)) return value.map((each) => replaceReferences(api, each, { path, left }));
    const reference = typeof value.$ref === 'string' ? value.$ref : null;
    if (reference !== null && !path.includes(reference) && left.values > 0) {
      const { $ref: _name, ...rest } = value;
      const target = { ...resolve(api, value), ...rest };
      return replaceReferences(api, target, { path: [...path, reference], left });
    }
    const members = Object.entries(value).filter(([name, each]) => name !== 'examples' || !Array.isArray(each));
    return Object.fromEntries(members.map(([name, each]) => [name, replaceReferences(api, each, { path, left })]));
  }

  /** The value that a reference within the document names; any other value unchanged. */
  function resolve(api, value) {
    if (typeof value?.$ref !== 'string') return value;
    const names = value.$ref.slice(2).split('/');
    const found = names.reduce((all, name) => all?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], api);
    return resolve(api, found);
  }

  function makeElement(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  // The event does not bubble: it is seen on its way down.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!target.open || !target.matches?.('.operations > li > details')) return;
      for (const each of target.querySelectorAll(':scope > .error')) each.remove();
      void fill(target);
    },
    true,
  );
  document.addEventListener('contentshown', () => (description = null));
})();
