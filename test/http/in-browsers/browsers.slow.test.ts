import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http, { type RequestListener, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createListener } from '../../../src/http/listener.ts';
import { serveHttp } from '../../../src/http/serve-http.ts';
import { programFile, skipWithout } from '../../installed-programs.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';

const skip = skipWithout('chromium');
const MODEL = `
name: desk
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

/**
 * Everything by which a page can send a write: forms of each type, and fetch without and with a preflight. Each in
 * turn, then the page is done.
 */
function page(api: string): string {
  return `<!doctype html><title>page</title><pre id="log"></pre><script>
    const url = ${JSON.stringify(`${api}/api/v1/notes`)};
    const log = (line) => { document.getElementById('log').textContent += line + '\\n'; };
    const form = (enctype, id) => new Promise((resolve) => {
      // A frame has the name that it had when it was inserted.
      const frame = document.body.appendChild(Object.assign(document.createElement('iframe'), { name: 'frame-' + id }));
      const form = document.body.appendChild(document.createElement('form'));
      Object.assign(form, { method: 'post', action: url, enctype, target: frame.name });
      const input = form.appendChild(document.createElement('input'));
      Object.assign(input, enctype === 'text/plain' ? { name: '{"id":"' + id + '","text":"', value: '"}' } : { name: 'id', value: id });
      frame.addEventListener('load', () => { log(id + ' sent'); resolve(); });
      form.submit();
    });
    const data = (id) => { const form = new FormData(); form.append('id', id); return form; };
    const attempt = (id, init, to = url) =>
      fetch(to, { method: 'POST', ...init }).then(({ type, status }) => log(id + ' ' + type + ' ' + status), () => log(id + ' failed'));
    (async () => {
      await form('application/x-www-form-urlencoded', 'form-urlencoded');
      await form('multipart/form-data', 'form-multipart');
      await form('text/plain', 'form-text');
      await attempt('fetch-urlencoded', { mode: 'no-cors', body: new URLSearchParams({ id: 'fetch-urlencoded' }) });
      await attempt('fetch-multipart', { mode: 'no-cors', body: data('fetch-multipart') });
      await attempt('fetch-text', { mode: 'no-cors', body: '{"id":"fetch-text"}' });
      await attempt('fetch-simple', { body: new URLSearchParams({ id: 'fetch-simple' }) });
      await attempt('fetch-json', { headers: { 'Content-Type': 'application/json' }, body: '{"id":"fetch-json"}' });
      await attempt('fetch-put', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{}' }, url + '/fetch-put');
      await attempt('fetch-delete', { method: 'DELETE' }, url + '/kept');
      await attempt('read', { method: 'GET', mode: 'no-cors' });
      await fetch('/done', { method: 'POST', body: document.getElementById('log').textContent });
    })();
  </script>`;
}

/** Listens on a free port of 127.0.0.1, which `localhost` names too. */
async function listening(listener: RequestListener): Promise<{ readonly server: Server; readonly port: number }> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: address !== null && typeof address === 'object' ? address.port : 0 };
}

/** Serves a page, and what it reports at `/done`. */
interface PageServer {
  readonly listener: RequestListener;
  /** The lines that the page has logged when it is done. */
  readonly log: Promise<readonly string[]>;
}

function servePage(api: string): PageServer {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const listener: RequestListener = (request, response) => {
    if (request.method === 'GET') response.setHeader('Content-Type', 'text/html').end(page(api));
    else void text(request).then((log) => response.end(() => resolve(log.trimEnd().split('\n'))));
  };
  return { listener, log: promise };
}

/** Opens a page in Chromium until it is done. */
async function visit(url: string, { log }: PageServer, context: TestContext): Promise<readonly string[]> {
  const profile = `--user-data-dir=${temporaryDirectory(context)}`;
  const options = ['--headless', '--no-sandbox', '--disable-gpu', profile];
  const browser = spawn(programFile('chromium') ?? 'chromium', [...options, url], {
    stdio: 'ignore',
    timeout: 30_000,
  });
  const ended = once(browser, 'close').then(([code]) => assert.fail(`Chromium ended with ${code}`));
  try {
    return await Promise.race([log, ended]);
  } finally {
    ended.catch(() => undefined);
    browser.kill();
    if (browser.exitCode === null) await once(browser, 'close');
  }
}

/** Method and status of each request to the collection and its items. */
function requestsTo({ observations }: ApiUnderTest): readonly string[] {
  return observations.flatMap((each) =>
    each.kind === 'request' && each.target.startsWith('/api') ? [`${each.method} ${each.status}`] : [],
  );
}

/** The page served by an origin other than that of the API. */
async function attack(
  desk: ApiUnderTest,
  { port, host }: { readonly port: number; readonly host: string },
  context: TestContext,
): Promise<readonly string[]> {
  await desk.row({ send: 'POST /api/v1/notes', body: { id: 'kept' }, status: 201, events: ['note.created'] });
  const served = servePage(`http://127.0.0.1:${port}`);
  const evil = await listening(served.listener);
  try {
    return await visit(`http://${host}:${evil.port}/`, served, context);
  } finally {
    evil.server.close();
  }
}

/** No request without a preflight may change anything; requests with one are not even sent. */
async function assertHarmless(desk: ApiUnderTest, log: readonly string[]): Promise<void> {
  assert.deepEqual(await desk.newEvents(), []);
  const { body } = await desk.send({ send: 'GET /api/v1/notes' });
  assert.deepEqual(
    body.data.map(({ id }: { readonly id: string }) => id),
    ['kept'],
  );
  const requests = requestsTo(desk);
  assert.equal(requests.filter((each) => each === 'POST 403').length, 7, requests.join(', '));
  assert.deepEqual(new Set(requests), new Set(['POST 201', 'POST 403', 'OPTIONS 204', 'GET 200']));
  // By Cross-Origin-Resource-Policy the page gets no response at all, not even an opaque one.
  for (const id of ['fetch-text', 'fetch-simple', 'fetch-json', 'fetch-put', 'fetch-delete', 'read'])
    assert.ok(log.includes(`${id} failed`), log.join(', '));
}

describe('Chromium', { skip, timeout: 60_000 }, () => {
  for (const [title, host] of [
    ['another site', 'localhost'],
    ['another port', '127.0.0.1'],
  ] as const) {
    it(`[AUTH-11] cannot be used to write by a page of ${title}, on our own server`, async (context) => {
      await using desk = await apiUnderTest(MODEL);
      const server = await serveHttp({ api: desk.api, port: 0 });
      try {
        await assertHarmless(desk, await attack(desk, { port: server.port, host }, context));
      } finally {
        await server.close();
      }
    });

    it(`[AUTH-11] cannot be used to write by a page of ${title}, on a mount`, async (context) => {
      await using desk = await apiUnderTest(MODEL);
      const { server, port } = await listening(createListener(desk.api));
      try {
        await assertHarmless(desk, await attack(desk, { port, host }, context));
      } finally {
        server.close();
      }
    });
  }

  it('[AUTH-11] writes for a page of the same origin', async (context) => {
    await using desk = await apiUnderTest(MODEL);
    const api = createListener(desk.api);
    const served = servePage('');
    const { server, port } = await listening((request, response) =>
      api(request, response, () => served.listener(request, response)),
    );
    try {
      const log = await visit(`http://localhost:${port}/`, served, context);
      for (const id of ['fetch-urlencoded', 'fetch-multipart', 'fetch-simple', 'fetch-json', 'fetch-put'])
        assert.ok(log.includes(`${id} basic 201`), log.join(', '));
      assert.equal((await desk.newEvents()).length, 7);
    } finally {
      server.close();
    }
  });
});
