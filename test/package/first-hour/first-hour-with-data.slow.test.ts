// The first hour of a user who has data or an application: from the packed tarball, without anything of the checkout.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { readBlocks, readPage } from '../../guides/guide-pages.ts';
import { parseBody, JSON_BODY, NewProject } from './new-project.ts';

const OPEN_API = `
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths:
  /pets:
    get: { responses: { '200': { description: all, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } } }
  /pets/{id}:
    get: { responses: { '200': { description: one, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } } }
components: { schemas: { Pet: { type: object, required: [name], properties: { id: { type: string }, name: { type: string } } } } }
`;

/** Data that a user may have, the collections in it, and their rows; null where it has none. */
const SOURCES = [
  { file: 'cities.csv', text: 'name,country\nOslo,NO\nMalmö,SE\n', report: 'cities (2 rows)' },
  { file: 'things.ndjson', text: '{"name":"a","n":1}\n{"name":"b","n":2}\n', report: 'things (2 rows)' },
  {
    file: 'db.json',
    text: '{"posts":[{"id":1,"title":"x"}],"tags":[{"id":7}]}',
    report: 'posts (1 row), tags (1 row)',
  },
  { file: 'openapi.yaml', text: OPEN_API, report: 'pets' },
] as const;

/** A model with code: a computed member, a check, a hook before a write and one after it. */
const HOOKS = `
import { defineModel, refuse, resource } from 'restwright';

const items = resource({
  schema: {
    type: 'object',
    required: ['name', 'price', 'quantity'],
    properties: { name: { type: 'string' }, price: { type: 'number' }, quantity: { type: 'integer', minimum: 1 } },
  },
  events: 'full',
  computed: { total: { schema: { type: 'number' }, from: ['price', 'quantity'], value: (row) => row.price * row.quantity } },
  check: { name: (value) => (value === 'free' ? 'is not for sale' : null) },
  before: {
    create: (draft) => ({ ...draft, name: draft.name.trim() }),
    delete: (row) => { if (row.quantity > 1) refuse('CONFLICT', 'More than one is left.'); },
  },
  after: { created: async (event) => { process.stderr.write('HOOK ' + event.type + ' ' + event.payload.data.name + '\\n'); } },
});

export default defineModel({ name: 'till', resources: { items } });
`;

const OPENED = `
const fs = require('node:fs');
const http = require('node:http');
const { createListener, loadModel, startApi } = require('restwright');

async function open() {
  const file = 'restwright.yaml';
  const { model } = loadModel({ file, text: fs.readFileSync(file, 'utf8'), env: process.env });
  return startApi({ model, database: './data/mounted.db' });
}
`;

/** Applications of a CommonJS project: each prints its URL and closes on SIGTERM. */
const MOUNTS = {
  fastify: `${OPENED}
const fastify = require('fastify');
const { frameworkErrors, restwright } = require('restwright/fastify');
open().then(async ({ api, close }) => {
  const app = fastify({ frameworkErrors: frameworkErrors(api), forceCloseConnections: true });
  app.get('/hello', () => ({ hello: 'world' }));
  app.register(restwright, { api });
  app.addHook('onClose', close);
  process.on('SIGTERM', () => app.close());
  console.log('listening on ' + (await app.listen({ port: 0, host: '127.0.0.1' })));
});
`,
  fetch: `${OPENED}
const { createFetchHandler } = require('restwright/fetch');
open().then(({ api, close }) => {
  const handle = createFetchHandler(api);
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers, url } = request;
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const answer = url === '/hello' ? Response.json({ hello: 'world' }) : await handle(new Request('http://' + headers.host + url, { method, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  process.on('SIGTERM', () => { server.close(close); server.closeAllConnections(); });
  server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port));
});
`,
};

const SHOP = `
name: shop
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }, colour: { type: string }, tags: { type: array, items: { type: string } } } }
`;

let project: NewProject;
before(() => {
  project = NewProject.create();
});
after(() => project[Symbol.asyncDispose]());

describe('the first hour with data', { timeout: 240_000 }, () => {
  for (const { file, text, report } of SOURCES) {
    it(`makes a valid model of ${file}, and names the commands that import it`, async () => {
      project.sandbox.write(file, text);
      const model = file.replace(/\..*/, '.yaml');
      const target = model === file ? 'pets.yaml' : model;
      const { code, stdout, stderr } = await project.restwright(`init --from ${file} --output ${target}`);
      assert.deepEqual([code, stdout.split('\n')[0]], [0, `wrote ${target}: ${report}`], stderr);
      const commands = [...stdout.matchAll(/^ {2}restwright (\S.*)$/gm)].map(([, command = '']) => command);
      assert.deepEqual([commands[0], commands.at(-1)], [`check ${target}`, `serve ${target}`]);
      for (const command of commands.slice(0, -1)) {
        const ran = await project.restwright(command);
        assert.equal(ran.code, 0, `${command}: ${ran.stderr}`);
      }
    });
  }

  it('serves a data file: the first start writes the model and imports, the second one does neither', async () => {
    project.sandbox.write('rows.csv', 'name,population\nOslo,700000\nBergen,290000\n');
    const first = await project.serve('rows.csv');
    const read = await project.curl(`${first.origin}/api/v1/rows?sort=-population&limit=1`);
    assert.match(read, /^HTTP\/1\.1 200 OK\r\n.*"name":"Oslo","population":700000/s);
    assert.equal(await first.stop(), 0);
    assert.match(first.process.stderr(), /wrote rows\.restwright\.yaml: rows \(2 rows\)[^]*rows: imported 2 rows/);
    const model = project.read('rows.restwright.yaml');
    const second = await project.serve('rows.csv');
    const page = await project.curl(`${second.origin}/api/v1/rows?include_total=true`);
    assert.match(page, /"total_count":2\b/);
    assert.equal(await second.stop(), 0);
    assert.match(second.process.stderr(), /^rows\.csv is already imported; its rows are in data\/rows\.db$/m);
    assert.doesNotMatch(second.process.stderr(), /imported \d|wrote/);
    assert.equal(project.read('rows.restwright.yaml'), model);
  });
});

describe('the first hour with code', { timeout: 240_000 }, () => {
  it('serves a TypeScript model with hooks in a project of CommonJS, without a warning', async () => {
    project.sandbox.write('till.ts', HOOKS);
    const checked = await project.restwright('check till.ts');
    assert.deepEqual([checked.code, checked.stdout.split('\n')[0], checked.stderr], [0, 'till.ts is valid', '']);
    const served = await project.serve('till.ts');
    const items = `${served.origin}/api/v1/items`;
    const created = await project.curl(items, ...JSON_BODY, '{"name":" Lamp ","price":2.5,"quantity":4}');
    assert.match(created, /^HTTP\/1\.1 201 .*"name":"Lamp".*"total":10\b/s);
    const checkedValue = await project.curl(items, ...JSON_BODY, '{"name":"free","price":1,"quantity":1}');
    assert.match(checkedValue, /^HTTP\/1\.1 400 .*"field":"name","message":"is not for sale"/s);
    const refused = await project.curl(`${items}/${String(parseBody(created)['id'])}`, '-X', 'DELETE');
    assert.match(refused, /^HTTP\/1\.1 409 .*"errorMessage":"More than one is left\."/s);
    assert.equal(await served.stop(), 0);
    assert.match(served.process.stderr(), /^HOOK item\.created Lamp$/m);
    assert.doesNotMatch(served.process.stderr(), /Warning/);
  });

  for (const [name, program] of Object.entries(MOUNTS)) {
    it(`mounts the API in an application of its own: ${name}`, async () => {
      if (!existsSync(project.sandbox.path('restwright.yaml'))) await project.restwright('init');
      if (name === 'fastify') project.link('fastify');
      project.sandbox.write(`${name}.js`, program);
      const app = await project.start(`${name}.js`);
      const customer = JSON.stringify({ name: 'Ann', email: `ann@${name}.example` });
      const created = await project.curl(`${app.origin}/api/v1/customers`, ...JSON_BODY, customer);
      assert.match(created, /^HTTP\/1\.1 201 /);
      assert.deepEqual(parseBody(await project.curl(`${app.origin}/hello`)), { hello: 'world' });
      assert.equal(await app.stop(), 0);
      const warnings = app.process.stderr().trim().split('\n');
      assert.deepEqual(
        warnings.map((line) => JSON.parse(line).event),
        ['mounted_without_auth'],
      );
    });
  }
});

/** The code of two guides, as programs that serve the starting model and print where. */
const PROGRAMS = {
  'docs/guides/embedding.md': (model: string, server: string) => ({
    'notes.mts': model.replace("'notes.yaml'", "'restwright.yaml'"),
    'server.mts': `${server.replace('port: 3000', 'port: 0')}
console.log('listening on http://127.0.0.1:' + server.port);
`,
  }),
  'README.md': (code: string) => ({
    'server.mts': `import { readFileSync } from 'node:fs';
import { loadModel } from 'restwright';
const { model } = loadModel({ text: readFileSync('restwright.yaml', 'utf8') });
${code.replace('http.createServer', 'const server = http.createServer').replace('listen(3000)', 'listen(0)')}
server.once('listening', () => console.log('listening on http://127.0.0.1:' + server.address().port));
process.on('SIGTERM', () => close().then(() => process.exit(0)));
`,
  }),
};

describe('the first hour with the code of a guide', { timeout: 120_000 }, () => {
  for (const [page, filesOf] of Object.entries(PROGRAMS))
    it(`serves an API: ${page}`, async () => {
      if (!existsSync(project.sandbox.path('restwright.yaml'))) await project.restwright('init');
      const [first = '', second = ''] = readBlocks(readPage(page), 'ts');
      for (const [name, code] of Object.entries(filesOf(first, second))) project.sandbox.write(name, code);
      const served = await project.start('server.mts');
      assert.match(await project.curl(`${served.origin}/api/v1/customers`), /^HTTP\/1\.1 200 /);
      assert.equal(await served.stop(), 0);
    });
});

describe('the first hour with a database', { timeout: 240_000 }, () => {
  it('[OPS-4d] migrates with loss only where that is allowed', async () => {
    project.sandbox.write('shop.yaml', SHOP);
    project.sandbox.write('products.ndjson', '{"name":"Lamp","colour":"red"}\n{"name":"Chair"}\n');
    assert.equal((await project.restwright('import shop.yaml products products.ndjson')).code, 0);
    project.sandbox.write('shop.yaml', SHOP.replace('colour: { type: string }, ', ''));
    const loss = /products\.colour is dropped with 1 value; declare it, or name it in x-was/;
    const started = await project.restwright('serve shop.yaml --port 0');
    assert.deepEqual([started.code, started.stdout], [1, '']);
    assert.match(started.stderr, loss);
    assert.match(started.stderr, /Nothing was changed\. .*restwright migrate shop\.yaml/);
    const plan = await project.restwright('migrate shop.yaml');
    assert.match(plan.stdout, loss);
    assert.match(plan.stdout, /Nothing was changed\. .*restwright migrate shop\.yaml --apply --allow-data-loss\n$/);
    const refused = await project.restwright('migrate shop.yaml --apply');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, loss);
    const applied = await project.restwright('migrate shop.yaml --apply --allow-data-loss');
    assert.deepEqual([applied.code, applied.stderr], [0, '']);
    assert.match((await project.restwright('migrate shop.yaml')).stdout, / matches shop\.yaml\n$/);
    const rows = (await project.restwright('export shop.yaml products')).stdout.trim().split('\n');
    assert.deepEqual(
      rows.map((row) => [JSON.parse(row).name, 'colour' in JSON.parse(row)]),
      [
        ['Lamp', false],
        ['Chair', false],
      ],
    );
  });

  for (const format of ['ndjson', 'json', 'csv'])
    it(`imports what it has exported: ${format}`, async () => {
      project.sandbox.write('goods.yaml', SHOP.replace('shop', 'goods'));
      const row = { name: 'Lamp, "big"\nnew', price: '19.90', colour: '=1+1', tags: ['a', ''] };
      project.sandbox.write('row.ndjson', `${JSON.stringify(row)}\n{"name":""}\n`);
      const between = (name: string) => `--database data/${name}-${format}.db`;
      const file = `goods.${format}`;
      for (const line of [
        `import goods.yaml products row.ndjson ${between('from')}`,
        `export goods.yaml products ${file} ${between('from')}`,
        `import goods.yaml products ${file} ${between('to')}`,
      ]) {
        const ran = await project.restwright(line);
        assert.equal(ran.code, 0, `${line}: ${ran.stderr}`);
        assert.match(ran.stderr, /^products: (?:imported|exported) 2 rows( to \S+)?\n$/);
      }
      const [from, to] = await Promise.all(
        ['from', 'to'].map((name) => project.restwright(`export goods.yaml products ${between(name)}`)),
      );
      assert.match(from?.stdout ?? '', /"name":"Lamp, \\"big\\"\\nnew"/);
      assert.equal(withoutRevision(to?.stdout ?? ''), withoutRevision(from?.stdout ?? ''));
    });
});

/** Revisions are of a database, and not imported. */
function withoutRevision(rows: string): string {
  return rows.replaceAll(/"revision":\d+/g, '"revision":0');
}
