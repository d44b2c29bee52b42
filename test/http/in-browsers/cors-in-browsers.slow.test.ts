import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type Server } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type HttpServer, serveHttp } from '../../../src/http/serve-http.ts';
import { startChromium } from '../../chromium.ts';
import { skipWithout } from '../../installed-programs.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';

/** The parts of a response to `fetch` that a page may read. */
interface SeenByPage {
  readonly status: number;
  readonly etag: string | null;
  readonly correlationId: string | null;
  readonly code: string | null;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: 'include';
}

const skip = skipWithout('chromium');

let browser: Browser;
/** Serves an empty page: with the names `localhost` and `127.0.0.1` it has two origins. */
let pages: Server;
let port = 0;
before(async () => {
  if (skip !== false) return;
  browser = await startChromium();
  pages = http
    .createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html>'))
    .listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const address = pages.address();
  port = address !== null && typeof address === 'object' ? address.port : 0;
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  pages.close();
});

const allowed = (): string => `http://localhost:${port}`;
const other = (): string => `http://127.0.0.1:${port}`;

interface Desk extends AsyncDisposable {
  readonly under: ApiUnderTest;
  readonly url: string;
  /** Sends a request from a page of an origin; null where the browser gives the page no response. */
  fetchFrom(origin: string, target: string, init?: Sent): Promise<SeenByPage | null>;
}

async function open(origins: readonly string[], credentials = false): Promise<Desk> {
  const under = await apiUnderTest(
    `name: desk\ncors: ${JSON.stringify({ origins, credentials })}\n` +
      'resources: { notes: { id: client, schema: { type: object, properties: { text: { type: string } } } } }\n',
  );
  await under.row({ send: 'PUT /api/v1/notes/a', body: { text: 'a' }, status: 201, events: ['note.created'] });
  const server: HttpServer = await serveHttp({ api: under.api, port: 0 });
  return {
    under,
    url: `http://127.0.0.1:${server.port}`,
    async fetchFrom(origin, target, init = {}) {
      const page = await browser.newPage();
      try {
        await page.goto(origin);
        return await page.evaluate(sendFromPage, [`http://127.0.0.1:${server.port}${target}`, init] as const);
      } finally {
        await page.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await under.close();
    },
  };
}

/** Runs in the page. */
async function sendFromPage([url, init]: readonly [string, Sent]): Promise<SeenByPage | null> {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const { headers, status } = response;
    const code = status >= 400 ? String(JSON.parse(text).errorCode) : null;
    return { status, etag: headers.get('ETag'), correlationId: headers.get('X-Correlation-ID'), code };
  } catch {
    return null;
  }
}

const NOTE = '/api/v1/notes/a';
const patch = (etag: string): Sent => ({
  method: 'PATCH',
  headers: { 'Content-Type': 'application/json', 'If-Match': etag },
  body: '{"text":"b"}',
});

describe('a page of another origin in Chromium', { skip, timeout: 60_000 }, () => {
  it('[OPS-3a] of an allowed origin reads, sees the ETag, and changes with If-Match', async () => {
    await using desk = await open([allowed()]);
    const read = await desk.fetchFrom(allowed(), NOTE);
    assert.equal(read?.status, 200);
    assert.match(read.etag ?? '', /^".+"$/);
    assert.match(read.correlationId ?? '', /^.+$/);
    const changed = await desk.fetchFrom(allowed(), NOTE, patch(read.etag ?? ''));
    assert.equal(changed?.status, 200);
    assert.notEqual(changed.etag, read.etag);
    assert.equal((await desk.under.newEvents()).length, 1);
    const methods = desk.under.observations.flatMap((each) => (each.kind === 'request' ? [each.method] : []));
    assert.ok(methods.includes('OPTIONS'), 'the browser sent a preflight');
  });

  it('[OPS-3a] of an allowed origin reads errors and follows redirects, with and without a preflight', async () => {
    await using desk = await open([allowed()]);
    const headers = { 'If-None-Match': '"x"' };
    for (const init of [{}, { headers }]) {
      assert.equal((await desk.fetchFrom(allowed(), '/api/v1/notes/none', init))?.code, 'NOTE_NOT_FOUND');
      assert.equal((await desk.fetchFrom(allowed(), '/api/v1/nothing', init))?.code, 'REQUEST_ROUTE_NOT_FOUND');
      assert.equal((await desk.fetchFrom(allowed(), '/api/v1/notes?page=x', init))?.status, 400);
      assert.equal((await desk.fetchFrom(allowed(), '/api/v1/notes//a', init))?.status, 200);
    }
    assert.equal((await desk.fetchFrom(allowed(), NOTE, patch('"999"')))?.code, 'NOTE_PRECONDITION_FAILED');
    const large = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: 'x'.repeat(1_100_000) };
    assert.equal((await desk.fetchFrom(allowed(), '/api/v1/notes', large))?.code, 'REQUEST_BODY_TOO_LARGE');
  });

  it('[OPS-3a] of an allowed origin runs the sample of the guide', async () => {
    await using desk = await open([allowed()]);
    await desk.under.row({ send: 'PUT /api/v1/notes/7', body: {}, status: 201, events: ['note.created'] });
    const guide = readFileSync(path.join(import.meta.dirname, '../../../docs/guides/browsers.md'), 'utf8');
    const [, sample = ''] = /```ts\n(.*?)```/s.exec(guide) ?? [];
    const code = sample.replaceAll('https://api.example.com', desk.url);
    const page = await browser.newPage();
    await page.goto(allowed());
    assert.equal(await page.evaluate(`(async () => { ${code} return changed.status; })()`), 200);
    await page.close();
  });

  it('[OPS-3a] of any other origin neither reads nor changes', async () => {
    await using desk = await open([allowed()]);
    await desk.under.newEvents();
    for (const init of [{}, patch('*'), { method: 'DELETE' }, { method: 'POST', body: 'x' }])
      assert.equal(await desk.fetchFrom(other(), NOTE, init), null);
    assert.deepEqual(await desk.under.newEvents(), []);
  });

  it('[OPS-3a, AUTH-11] of any origin reads where the model allows every origin, and its write is refused', async () => {
    await using desk = await open(['*']);
    await desk.under.newEvents();
    const read = await desk.fetchFrom(other(), NOTE);
    assert.match(read?.etag ?? '', /^".+"$/);
    assert.equal((await desk.fetchFrom(other(), NOTE, patch('*')))?.code, 'AUTH_ORIGIN_FORBIDDEN');
    assert.deepEqual(await desk.under.newEvents(), []);
  });

  it('[OPS-3a] sends credentials only where the model allows them', async () => {
    await using without = await open([allowed()]);
    await using having = await open([allowed()], true);
    const include: Sent = { credentials: 'include' };
    assert.equal(await without.fetchFrom(allowed(), NOTE, include), null);
    assert.equal((await having.fetchFrom(allowed(), NOTE, include))?.status, 200);
  });
});
