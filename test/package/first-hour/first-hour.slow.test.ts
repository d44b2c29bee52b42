// The first hour of a new user, one step after the other: an empty folder, the packed tarball, and nothing of the
// checkout.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Browser } from 'playwright-core';
import { startChromium } from '../../chromium.ts';
import { skipWithout } from '../../installed-programs.ts';
import { parseBody, JSON_BODY, NewProject, type Served } from './new-project.ts';

let project: NewProject;
before(() => {
  project = NewProject.create();
});
after(() => project[Symbol.asyncDispose]());

describe('the first hour', { timeout: 240_000 }, () => {
  it('begins with an installation that brings the command', async () => {
    assert.match(project.read('package.json'), /"type": "commonjs"/);
    const { code, stdout, stderr } = await project.run('npx', ['--no-install', 'restwright', '--version']);
    assert.deepEqual([code, stdout], [0, '0.2.0\n'], stderr);
    const help = await project.restwright('help');
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage: restwright .*\n\n.*\n/);
  });

  it('writes a model to start with, which is valid, names what comes next, and is not overwritten', async () => {
    const { code, stdout } = await project.restwright('init');
    assert.equal(code, 0);
    assert.match(stdout, /^wrote restwright\.yaml: .+\n\n {2}restwright check\n {2}restwright serve\n$/);
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(project.read('restwright.yaml')) ?? [];
    assert.equal(schema, './node_modules/restwright/schema/model.schema.json');
    assert.ok(existsSync(project.sandbox.path(schema)));
    const byPath = await project.run('npx', ['--no-install', 'restwright', 'init', '--output', 'second.yaml']);
    assert.match(byPath.stdout, /\n {2}node_modules\/\.bin\/restwright check second\.yaml\n/);
    const checked = await project.restwright('check');
    assert.deepEqual([checked.code, checked.stdout.split('\n')[0]], [0, 'restwright.yaml is valid']);
    const again = await project.restwright('init');
    assert.deepEqual([again.code, again.stdout], [2, '']);
    assert.match(again.stderr, /^error: restwright\.yaml already exists; .*--output.*--force\.\n$/);
  });

  it('serves it: one line on standard output, JSON lines on standard error, and rows that survive a stop', async () => {
    const first = await project.serve();
    const api = `${first.origin}/api/v1`;
    const created = await project.curl(`${api}/customers`, ...JSON_BODY, '{"name":"Ann","email":"ann@example.com"}');
    assert.match(created, /^HTTP\/1\.1 201 Created\r\n/);
    const { id } = parseBody(created);
    assert.match(created, new RegExp(`\r\nLocation: /api/v1/customers/${String(id)}\r\n`));
    const ordered = await project.curl(
      `${api}/orders`,
      ...JSON_BODY,
      JSON.stringify({ customer_id: id, total: '19.9' }),
    );
    assert.deepEqual([parseBody(ordered)['total'], parseBody(ordered)['status']], ['19.90', 'OPEN']);
    assert.equal(await first.stop(), 0);
    assert.match(first.process.stdout(), /^listening on http:\/\/127\.0\.0\.1:\d+\/api\n$/);
    for (const line of first.process.stderr().trim().split('\n')) assert.equal(typeof JSON.parse(line).event, 'string');

    const second = await project.serve();
    const page = await project.curl(`${second.origin}/api/v1/orders?expand=customer`);
    assert.match(page, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(page, /"customer":\{[^}]*"name":"Ann"/);
    assert.equal(await second.stop(), 0);
  });

  it('says what is wrong with a request', async () => {
    await using served = await until(project.serve());
    const customers = `${served.origin}/api/v1/customers`;
    const withoutType = await project.curl(customers, '-d', '{"name":"Bob"}');
    assert.match(withoutType, /^HTTP\/1\.1 415 /);
    assert.match(String(parseBody(withoutType)['errorMessage']), /send Content-Type: application\/json/);
    const incomplete = await project.curl(customers, ...JSON_BODY, '{"nam":"Bob"}');
    assert.match(incomplete, /^HTTP\/1\.1 400 /);
    const { errorCode, details } = parseBody(incomplete);
    assert.equal(errorCode, 'CUSTOMER_INVALID');
    assert.match(JSON.stringify(details), /"field":"nam".+"field":"name".+|"field":"name".+"field":"nam"/);
    const mistyped = await project.curl(`${customers}?contry=NO`);
    assert.match(mistyped, /^HTTP\/1\.1 400 .*did you mean \\"country\\"\?/s);
    const lost = await project.curl(`${served.origin}/api/v1/clients`);
    assert.match(lost, /^HTTP\/1\.1 404 .*GET \/api lists the collections\./s);
  });
});

describe('the first hour on a terminal', { skip: skipWithout('script'), timeout: 120_000 }, () => {
  /** The terminal of a server that Ctrl-C stops once it suggests a request, without the times. */
  async function shown(env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { process: server, press } = project.onTerminal('restwright serve --port 0', env);
    await server.waitForOutput('Try');
    press('\u0003');
    const { code, stdout } = await server.ended;
    assert.equal(code, 0);
    return stdout.replaceAll('\r\n', '\n').replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME');
  }

  it('[OPS-2d] shows what is served and a request that works, and stops with Ctrl-C', async () => {
    const text = stripVTControlCharacters(await shown()).replaceAll(/:\d{4,5}/g, ':PORT');
    assert.equal(
      text.replace('^C', ''),
      `listening on http://127.0.0.1:PORT/api
TIME no authentication is configured: only clients on this machine are served, under loopback host names

shop 1.0.0
  customers  1 row
  orders     1 row

  API       http://127.0.0.1:PORT/api
  Docs      http://127.0.0.1:PORT/docs
  Database  ${project.sandbox.path('data', 'shop.db')}
  Try       curl "http://127.0.0.1:PORT/api/v1/customers?limit=1"

TIME stopping signal=SIGINT
TIME stopped unfinished=0
`,
    );
  });

  it('has colours, but not with NO_COLOR', async () => {
    const coloured = await shown();
    assert.notEqual(stripVTControlCharacters(coloured), coloured);
    const plain = await shown({ NO_COLOR: '1' });
    assert.equal(stripVTControlCharacters(plain), plain);
  });
});

describe('the first hour in a browser', { skip: skipWithout('chromium'), timeout: 120_000 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await startChromium();
  });
  after(() => browser.close());

  it('[NEG-1] begins with a page that lists the collections and sends a first request that is complete', async () => {
    await using served = await until(project.serve());
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(served.origin);
    assert.match((await page.textContent('body')) ?? '', /shop[^]*customers[^]*orders/);
    await page.click('button[data-method=POST] >> nth=0');
    await page.click('.send');
    await page.locator('#status.good, #status.bad').waitFor();
    assert.match((await page.textContent('#status')) ?? '', /^201 Created/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('[OPS-3a] lets a page of a named origin read, and change with the ETag that it has read', async () => {
    await using elsewhere = await emptyPages();
    const model = project.read('restwright.yaml').replace('\nname: shop', '\nname: shop\ncors: { origins: [ORIGIN] }');
    project.sandbox.write('cors.yaml', model.replace('ORIGIN', elsewhere.origin));
    await using served = await until(project.serve('cors.yaml', '--database', 'data/cors.db'));
    const customers = `${served.origin}/api/v1/customers`;
    const created = await project.curl(customers, ...JSON_BODY, '{"name":"Ann","email":"ann@example.com"}');
    const page = await browser.newPage();
    await page.goto(elsewhere.origin);
    const change = async (url: string) => {
      const read = await fetch(url);
      const headers = { 'Content-Type': 'application/json', 'If-Match': read.headers.get('ETag') ?? 'none' };
      const patched = await fetch(url, { method: 'PATCH', headers, body: '{"country":"NO"}' });
      return [read.status, patched.status, await patched.text()] as const;
    };
    const [read, patched, body] = await page.evaluate(change, `${customers}/${String(parseBody(created)['id'])}`);
    assert.deepEqual([read, patched], [200, 200]);
    assert.match(body, /"country":"NO"/);
    await page.close();
  });
});

/** Pages of another origin. */
async function emptyPages(): Promise<AsyncDisposable & { readonly origin: string }> {
  const server = http
    .createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html>'))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server that is stopped at the end of a scope. */
async function until(starting: Promise<Served>): Promise<Served & AsyncDisposable> {
  const served = await starting;
  return {
    ...served,
    async [Symbol.asyncDispose]() {
      assert.equal(await served.stop(), 0);
    },
  };
}
