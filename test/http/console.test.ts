import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConsoleMissing } from '../../src/describe/console/console-files.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { type StartApiOptions, type StartedApi, startApi } from '../../src/start-api.ts';

const RESOURCES = 'resources: { notes: { schema: { type: object, properties: { title: { type: string } } } } }';
const ISSUERS = ['id', 'other'].map(
  (name) =>
    `{ name: ${name}, issuer: 'https://${name}.example.com/realm', audience: shop, hs256_secret: ${'s'.repeat(32)} }`,
);

/** A page with a script that has the digest of its content in its name. */
const SCRIPT = 'assets-1a2b3c.js';

describe('the console', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'console-'));
  const opened: StartedApi[] = [];
  before(() => {
    mkdirSync(path.join(folder, 'console'));
    writeFileSync(path.join(folder, 'index.html'), `<script type="module" src="./console/${SCRIPT}"></script>`);
    writeFileSync(path.join(folder, 'console', SCRIPT), `document.title = ${JSON.stringify('x'.repeat(2_000))};`);
    writeFileSync(path.join(folder, 'secret.txt'), 'not for others');
  });
  after(async () => {
    for (const api of opened) await api.close();
    rmSync(folder, { recursive: true });
  });

  const compile = (settings = '') =>
    loadModel({ file: 'm.yaml', text: `name: shop\ntitle: The shop\n${settings}\n${RESOURCES}` });

  /** Sends requests to the API of a model. */
  const open = async (
    settings = '',
    options: Pick<StartApiOptions, 'console' | 'consolePaste'> = { console: { folder } },
  ): Promise<(target: string, init?: RequestInit) => Promise<Response>> => {
    const started = await startApi({ model: compile(settings).model, database: ':memory:', ...options });
    opened.push(started);
    const handle = createFetchHandler(started.api);
    return async (target, init) => handle(new Request(`http://localhost${target}`, init));
  };

  it('[OPS-10a] is off by default', async () => {
    const send = await open('', {});
    for (const target of ['/console', '/console/config.json', `/console/${SCRIPT}`])
      assert.equal((await send(target)).status, 404, target);
  });

  it('[OPS-10a] is a page with its files, at the origin and next to the base path', async () => {
    const send = await open('base_path: /shop/api');
    for (const prefix of ['', '/shop']) {
      const page = await send(`${prefix}/console`);
      assert.equal(page.status, 200);
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(page.headers.get('cache-control'), 'no-cache');
      assert.match(await page.text(), /<script/);
      const script = await send(`${prefix}/console/${SCRIPT}`);
      assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(script.headers.get('x-content-type-options'), 'nosniff');
      assert.match(await script.text(), /^document/);
    }
    assert.equal((await send('/shop/api/console')).status, 404);
  });

  it('[OPS-10a] needs no credentials and has no version', async () => {
    const send = await open(`auth: { issuers: [${ISSUERS[0]}] }`);
    const page = await send('/console');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('api-version'), null);
    assert.equal((await send('/api/v1/notes')).status, 401);
  });

  it('[OPS-10a] answers 304 for what a client has, and HEAD without a body', async () => {
    const send = await open();
    for (const target of ['/console', `/console/${SCRIPT}`, '/console/config.json']) {
      const first = await send(target);
      const etag = first.headers.get('etag') ?? assert.fail();
      const again = await send(target, { headers: { 'If-None-Match': etag } });
      assert.deepEqual([again.status, await again.text()], [304, '']);
      assert.equal(again.headers.get('etag'), etag);
      assert.equal((await send(target, { headers: { 'If-None-Match': '"other"' } })).status, 200);
      const head = await send(target, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text()], [200, '']);
    }
  });

  it('[OPS-10a] is only read', async () => {
    const send = await open();
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await send('/console', { method });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'], method);
    }
  });

  it('[OPS-10a] is compressed for clients that accept it', async () => {
    const send = await open();
    const script = await send(`/console/${SCRIPT}`, { headers: { 'Accept-Encoding': 'br' } });
    assert.equal(script.headers.get('content-encoding'), 'br');
    assert.match(script.headers.get('vary') ?? '', /Accept-Encoding/i);
  });

  for (const target of [
    '/console/secret.txt',
    '/console/../secret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/..%2fsecret.txt',
    '/console/console/x.js',
    '/console/index.html',
    `/console/${SCRIPT}/more`,
  ])
    it(`[OPS-10a] has no other files: ${target}`, async () => {
      const send = await open();
      const { status } = await send(target);
      assert.ok(status === 404 || status === 400, `${status}`);
    });

  it('[OPS-10b] has a configuration without secrets', async () => {
    const send = await open(
      `secret: ${'k'.repeat(40)}\nauth: { issuers: [${ISSUERS.join(', ')}], api_keys: true }\nconsole: { client_id: people, issuer: other, scopes: [openid] }`,
    );
    const response = await send('/console/config.json');
    const text = await response.text();
    assert.equal(response.headers.get('content-type'), 'application/json');
    const { release, ...config } = JSON.parse(text);
    assert.match(release, /^\d+\.\d+\.\d+/);
    assert.deepEqual(config, {
      api: '/api',
      openapi: '/openapi.json',
      ready: '/readyz',
      metrics: null,
      name: 'shop',
      title: 'The shop',
      issuer: 'https://other.example.com/realm',
      client_id: 'people',
      scopes: ['openid'],
      paste: false,
    });
    assert.doesNotMatch(text, /ssss|kkkk/);
  });

  it('[OPS-10b] lets people give a token where they cannot sign in, and in development', async () => {
    const signIn = `auth: { issuers: [${ISSUERS[0]}] }\nconsole: { client_id: people }`;
    const paste = async (settings: string, options?: Parameters<typeof open>[1]): Promise<unknown> => {
      const send = await open(settings, options);
      const response = await send('/console/config.json');
      return Reflect.get(Object(await response.json()), 'paste');
    };
    assert.equal(await paste(''), true);
    assert.equal(await paste(signIn), false);
    assert.equal(await paste(signIn, { console: { folder }, consolePaste: true }), true);
  });

  it('[OPS-10c] may connect to its own origin and that of the issuer alone, and has no inline code', async () => {
    const policy = async (settings: string): Promise<ReadonlyMap<string, string>> => {
      const send = await open(settings);
      const header = (await send('/console')).headers.get('content-security-policy') ?? assert.fail();
      return new Map(header.split('; ').map((each) => [each.split(' ')[0] ?? '', each.split(' ').slice(1).join(' ')]));
    };
    const own = await policy('');
    assert.equal(own.get('connect-src'), "'self'");
    assert.equal(own.get('default-src'), "'none'");
    for (const [directive, sources] of own) assert.doesNotMatch(sources, /unsafe|\*/, directive);
    const signIn = await policy(`auth: { issuers: [${ISSUERS[0]}] }\nconsole: { client_id: people }`);
    assert.equal(signIn.get('connect-src'), "'self' https://id.example.com");
  });

  it('[OPS-10b] needs one issuer where people sign in', () => {
    const declared = [
      ['console: { client_id: people }', 'declare auth.issuers'],
      [
        `auth: { issuers: [${ISSUERS.join(', ')}] }\nconsole: { client_id: people }`,
        'set console.issuer to one of id, other',
      ],
      [
        `auth: { issuers: [${ISSUERS[0]}] }\nconsole: { client_id: people, issuer: ix }`,
        'set console.issuer to one of id',
      ],
    ] as const;
    for (const [settings, fix] of declared) assert.throws(() => compile(settings), new RegExp(fix));
  });

  it('[OPS-10a] refuses to start without its files, and says how to make them', async () => {
    const missing = open('', { console: { folder: path.join(folder, 'none') } });
    await assert.rejects(
      missing,
      (error) => error instanceof ConsoleMissing && /npm run build:console/.test(error.message),
    );
  });
});
