import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { readBlocks, readPage } from '../guides/guide-pages.ts';

const root = path.join(import.meta.dirname, '..', '..');
/** Packages that the examples import, besides this one and its dependencies. */
const LIBRARIES = [
  '@types',
  '@valibot',
  'arktype',
  'express',
  'fastify',
  'hono',
  'typebox',
  'typescript',
  'valibot',
  'zod',
];

type Sent = readonly [send: string, body: object | null, status: number, says: RegExp];

/** Requests to each model of the guides, after one another. */
const REQUESTS: Readonly<Record<string, readonly Sent[]>> = {
  'shop.mts': [['POST order-items', { price: 2.5, quantity: 4 }, 201, /"total":10[,}]/]],
  'stays.mts': [
    ['POST stays', { guest: ' Ann ', arrival: '2026-05-02', departure: '2026-05-09' }, 201, /"guest":"Ann"/],
    [
      'POST stays',
      { guest: 'Bob', arrival: '2026-05-09', departure: '2026-05-02' },
      400,
      /\{"field":"departure","message":"must be after arrival"\}/,
    ],
  ],
  'library.mts': [
    ['POST authors', { name: 'Hamsun' }, 201, /"born":null/],
    ['POST books', { title: ' Sult ', isbn: '9788205332003' }, 201, /"title":"Sult"/],
    ['POST books', { title: '  ', isbn: '9788205332003' }, 400, /"field":"title"/],
    ['POST loans', { reader: ' Ann', days: 3 }, 201, /"reader":"Ann"/],
  ],
  'orders.mts': [
    ['POST orders', { customer: ' Ann ', quantity: 2 }, 201, /"customer":"Ann"/],
    ['POST orders', { customer: 'Ann', quantity: 2, coupon: 'free' }, 400, /"message":"is not a coupon"/],
    ['PATCH *', { status: 'PAID' }, 200, /"status":"PAID"/],
    ['PATCH *', { quantity: 3 }, 409, /A paid order keeps its quantity/],
    ['DELETE *', null, 403, /A paid order cannot be deleted/],
  ],
  'invoices.mts': [
    ['POST invoices', { customer: 'Ann' }, 201, /"number":1,"token":"inv_/],
    ['POST invoices', { customer: 'Bob', number: 9 }, 201, /"number":2,/],
  ],
  'tracker.mts': [
    ['POST projects', { id: 'web', name: 'Web' }, 201, /"last_number":0/],
    ['POST issues', { project_id: 'web', title: 'One' }, 201, /"number":1/],
    ['POST issues', { project_id: 'web', title: 'Two' }, 201, /"number":2/],
  ],
  'suppliers.mts': [
    ['POST suppliers', { vat_id: 'NO123456789' }, 201, /NO123456789/],
    ['POST suppliers', { vat_id: 'none' }, 400, /is not a registered VAT number/],
  ],
};

/** Uses the examples of one guide: creates a note through each mount. */
const MOUNTS = `
import { once } from 'node:events';
import { buildApp as buildExpress } from './express.mts';
import { buildApp as buildFastify } from './fastify.mts';
import { buildHandler } from './fetch.mts';
import { model } from './notes.mts';
import { honoApp } from './prefix.mts';
import { expressApp } from './protected.mts';
import { startApi } from 'restwright';
import { createClient } from 'restwright/client';

const url = '/api/v1/notes';
const note = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"text":"mounted"}' };
const app = await buildFastify(':memory:');
const injected = await app.inject({ method: 'POST', url, payload: { text: 'mounted' } });
await app.close();
const { app: middleware, close: closeExpress } = await buildExpress(':memory:');
const server = middleware.listen(0);
await once(server, 'listening');
const fetched = await fetch('http://127.0.0.1:' + server.address().port + url, note);
server.closeAllConnections();
server.close();
await closeExpress();
const { handle, close } = await buildHandler(':memory:');
const handled = await handle(new Request('http://localhost' + url, note));
const client = createClient({ url: 'http://localhost/api', fetch: (target, init) => handle(new Request(target, init)) });
const { data } = await client.notes.page();
await close();
const { api, close: closeLast } = await startApi({ model, database: ':memory:' });
const guarded = expressApp(api, 'secret').listen(0);
await once(guarded, 'listening');
const refused = await fetch('http://127.0.0.1:' + guarded.address().port + url, note);
guarded.closeAllConnections();
guarded.close();
const elsewhere = await honoApp(api).request('http://localhost/shop' + url);
await closeLast();
console.log(injected.statusCode, fetched.status, handled.status, refused.status, elsewhere.status, data.length);
`;

/** Sends requests to an API; `*` is the resource of the last `Location`. */
async function exchange(url: string, requests: readonly Sent[]): Promise<void> {
  let last = '';
  for (const [send, body, expected, says] of requests) {
    const [method = '', to = ''] = send.split(' ');
    const headers = { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const target = to === '*' ? new URL(last, url) : `${url}/v1/${to}`;
    const response = await fetch(target, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    assert.equal(response.status, expected, text);
    assert.match(text, says);
    last = response.headers.get('location') ?? last;
  }
}

/** The TypeScript of a guide, by file name, which the first line of each example is. */
function readExamples(guide: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(root, 'docs', 'guides', guide), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  return new Map(blocks.map((code) => [/^\/\/ (\S+\.mts)\n/.exec(code)?.[1] ?? assert.fail(code), code]));
}

describe('the TypeScript of the guides, with the packed package in a package as npm init makes it', () => {
  const models = readExamples('typescript-models.md');
  const mounts = readExamples('embedding.md');
  const [sold = '', ...samples] = readBlocks(readPage('docs/guides/client.md'), 'ts');
  let folder = '';
  const run = (file: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [path.join(folder, 'node_modules', file), ...args], { cwd: folder, encoding: 'utf8' });
  const tsc = (...args: readonly string[]) => run('typescript/bin/tsc', ...args).stdout;

  before(() => {
    const tarball = execFileSync(process.execPath, ['scripts/pack.ts'], { cwd: root, encoding: 'utf8' }).trim();
    folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-guides-'));
    const modules = path.join(folder, 'node_modules');
    mkdirSync(modules);
    execFileSync('npm', ['init', '-y'], { cwd: folder, stdio: 'ignore' });
    execFileSync('tar', ['-xzf', tarball, '-C', modules]);
    rmSync(path.dirname(tarball), { recursive: true, force: true });
    // The installation itself is covered by pack.slow.test.ts. The package is a copy, so that it finds nothing that it
    // does not depend on.
    cpSync(path.join(modules, 'package'), path.join(modules, 'restwright'), { recursive: true });
    rmSync(path.join(modules, 'package'), { recursive: true });
    const { dependencies }: { readonly dependencies: object } = JSON.parse(
      readFileSync(path.join(modules, 'restwright', 'package.json'), 'utf8'),
    );
    for (const name of [...Object.keys(dependencies), ...LIBRARIES]) {
      mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
      symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
    }
    tsc('--init');
    for (const [name, code] of [...models, ...mounts]) writeFileSync(path.join(folder, name), code);
    mkdirSync(path.join(folder, 'client'));
    writeFileSync(path.join(folder, 'client', 'shop.mts'), sold);
    writeFileSync(path.join(folder, 'client', 'client.mts'), samples.join('\n'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles with the settings of tsc --init', () => {
    const manifest: { readonly type?: string } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    assert.notEqual(manifest.type, 'module');
    // Models need no types of Node.js; mounts do.
    const config: string = readFileSync(path.join(folder, 'tsconfig.json'), 'utf8');
    assert.match(config, /"verbatimModuleSyntax": true/);
    const options = ['--noEmit', '--allowImportingTsExtensions'];
    writeFileSync(
      path.join(folder, 'models.json'),
      JSON.stringify({ extends: './tsconfig.json', files: [...models.keys()] }),
    );
    assert.equal(tsc('-p', 'models.json', ...options), '');
    assert.equal(tsc(...options, '--types', 'node'), '');
    // The client needs the types of the web platform alone.
    writeFileSync(
      path.join(folder, 'client.json'),
      JSON.stringify({ extends: './tsconfig.json', files: ['client/client.mts'] }),
    );
    assert.equal(tsc('-p', 'client.json', ...options, '--lib', 'esnext,dom', '--types', ''), '');
    assert.deepEqual([...models.keys()].toSorted(), [...Object.keys(REQUESTS), 'server.mts'].toSorted());
  });

  it('has the same tracker as the examples', () => {
    const example = readFileSync(path.join(root, 'examples', 'tracker.ts'), 'utf8').replace(/^.*\n/, '');
    const shown = (models.get('tracker.mts') ?? '').replace(/^.*\n/, '');
    const published = example.replace('../src/index.ts', 'restwright');
    assert.equal(shown, published.replace('../src/exports/model.ts', 'restwright/model'));
  });

  for (const [file, requests] of Object.entries(REQUESTS))
    for (const name of file === 'shop.mts' ? [file, 'shop.ts'] : [file])
      it(`serves ${name}, without a warning of Node.js`, async () => {
        writeFileSync(path.join(folder, name), models.get(file) ?? '');
        const { status, stdout, stderr: checked } = run('restwright/bin/restwright.js', 'check', name);
        assert.deepEqual([status, checked], [0, ''], stdout);
        const database = `${name}.db`;
        const program = path.join(folder, 'node_modules', 'restwright', 'bin', 'restwright.js');
        const args = ['serve', name, '--port', '0', '--database', database, '--log', 'json'];
        const server = spawn(process.execPath, [program, ...args], { cwd: folder });
        const written: string[] = [];
        createInterface({ input: server.stderr }).on('line', (line) => written.push(line));
        const ended = once(server, 'close');
        try {
          const lines = createInterface({ input: server.stdout });
          const [line]: string[] = await once(lines, 'line');
          const printed = once(lines, 'line');
          await exchange(/http:\S+/.exec(line ?? '')?.[0] ?? assert.fail(line), requests);
          if (file === 'orders.mts') assert.match(String(await printed), /^order \S+ was created at 20/);
        } finally {
          server.kill('SIGTERM');
        }
        await ended;
        assert.deepEqual(
          written.filter((each) => !each.startsWith('{')),
          [],
        );
      });

  it('runs the program with the services that it passes', async () => {
    const program = path.join(folder, 'server.mts');
    writeFileSync(program, (models.get('server.mts') ?? '').replace('port: 3000', 'port: 0'));
    const server = spawn(process.execPath, [program], { cwd: folder });
    try {
      const [url]: string[] = await once(createInterface({ input: server.stdout }), 'line');
      const headers = { 'Content-Type': 'application/json' };
      const statuses = ['NO1', 'SE1'].map(async (id) => {
        const body = JSON.stringify({ vat_id: id });
        return (await fetch(url ?? '', { method: 'POST', headers, body })).status;
      });
      assert.deepEqual(await Promise.all(statuses), [201, 400]);
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('mounts the model of a document in Fastify, Express and a fetch handler, which the client of the package calls', () => {
    const schema = '{ type: object, properties: { text: { type: string } } }';
    writeFileSync(path.join(folder, 'notes.yaml'), `name: notes\nresources: { notes: { schema: ${schema} } }\n`);
    writeFileSync(path.join(folder, 'mounts.mjs'), MOUNTS);
    const used = spawnSync(process.execPath, ['mounts.mjs'], { cwd: folder, encoding: 'utf8' });
    assert.equal(used.stdout, '201 201 201 401 404 1\n', used.stderr);
  });
});
