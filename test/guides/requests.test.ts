import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { serveHttp } from '../../src/http/serve-http.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi } from '../../src/start-api.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readCodes, readCommands, PAGES, readRows, readPage } from './guide-pages.ts';
import { inBackground, inShell } from './guide-shell.ts';

const MODEL = `
name: shop
resources:
  orders: { idempotency: optional, schema: { type: object, properties: { quantity: { type: integer } } } }
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
  products:
    schema:
      type: object
      properties:
        name: { type: string }
        price: { type: number }
        category: { type: string }
        tags: { type: array, items: { type: string } }
        address: { type: object, properties: { city: { type: string } } }
        items: { type: array, items: { type: object, properties: { sku: { type: string } } } }
        labels: { type: object, additionalProperties: { type: string } }
`;

interface Page extends AsyncDisposable {
  readonly text: string;
  readonly desk: ApiUnderTest;
  /** Runs the command line of the page that has a text. @returns what it printed */
  run(part: string, replacements?: Readonly<Record<string, string>>): Promise<string>;
}

/** A page, with a server for its requests and an empty folder. */
async function open(context: TestContext, page: string): Promise<Page> {
  const text = readPage(page);
  const desk = await apiUnderTest(MODEL);
  const server = await serveHttp({ api: desk.api, port: 0 });
  const folder = temporaryDirectory(context);
  const lines = [
    '{"name":"Lamp","price":5,"category":"lamps"}',
    '{"name":"Globe","price":7,"category":"lamps"}',
    '{"price":"?"}',
  ];
  writeFileSync(path.join(folder, 'products.ndjson'), lines.join('\n'));
  return {
    text,
    desk,
    async run(part, replacements = {}) {
      const line = readCommands(text).find((each) => each.includes(part)) ?? assert.fail(`no command has ${part}`);
      let command = line.replace('http://127.0.0.1:3000', `http://127.0.0.1:${server.port}`);
      for (const [shown, used] of Object.entries(replacements)) command = command.replace(shown, used);
      const { stdout } = await promisify(execFile)('sh', ['-ec', command.replace('curl ', 'curl -sS ')], {
        cwd: folder,
      });
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await desk.close();
    },
  };
}

describe('the guide to writes', () => {
  const guide = 'docs/guides/writes.md';

  it('[MET-12] shows a POST with a key, which is replayed', async (context) => {
    await using page = await open(context, guide);
    const [first, second] = [await page.run('Idempotency-Key'), await page.run('Idempotency-Key')];
    assert.match(first, /^HTTP\/1\.1 201 /);
    assert.match(second, /^HTTP\/1\.1 201 .*\r\nIdempotent-Replayed: true\r\n/s);
    assert.equal(second.split('\r\n\r\n')[1], first.split('\r\n\r\n')[1]);
  });

  it('[MET-13] shows an atomic batch', async (context) => {
    await using page = await open(context, guide);
    const [, head = '', body = ''] = /^(.*?)\n\n(.*)$/s.exec(readBlocks(page.text, 'http')[0] ?? '') ?? [];
    const [send = '', type = ''] = head.split('\n');
    for (const id of ['b', 'c']) await page.desk.send({ send: `PUT /api/v1/notes/${id}`, body: { text: 'old' } });
    const { headers } = await page.desk.send({ send: 'GET /api/v1/notes/b' });
    const tag = JSON.stringify(headers.get('etag')).slice(1, -1);
    const batch = { send, headers: { 'Content-Type': type.replace(/^.*: /, '') } };
    const shown = await page.desk.send({ ...batch, body });
    assert.deepEqual([shown.status, shown.body.details[0].field], [412, 'operations[1]']);
    const { status, body: result } = await page.desk.send({ ...batch, body: body.replace('\\"1042\\"', tag) });
    assert.equal(status, 201, JSON.stringify(result));
    assert.deepEqual(
      (await page.desk.send({ send: 'GET /api/v1/notes' })).body.data.map(({ id, text }: Record<string, unknown>) => [
        id,
        text,
      ]),
      [
        ['a', 'new'],
        ['b', 'x'],
      ],
    );
  });

  it('[MET-13] shows an upload, which has one result for each line', async (context) => {
    await using page = await open(context, guide);
    const results = (await page.run('-T products.ndjson')).trim().split('\n');
    assert.match(results[0] ?? '', /^\{"line":1,"status":201,"id":"[^"]+","location":"[^"]+"/);
    assert.match(results[2] ?? '', /^\{"line":3,"status":400,"error":\{/);
    assert.equal(results.length, 3);
  });

  it('[MET-9] shows a QUERY', async (context) => {
    await using page = await open(context, guide);
    await page.run('-T products.ndjson');
    const answer = await page.run('-X QUERY', { 'curl ': 'curl -i ' });
    assert.match(
      answer,
      /^HTTP\/1\.1 200 .*\r\nLocation: \/api\/v1\/products\?category=lamps&sort=-price&limit=20\r\n/s,
    );
    assert.match(answer, /"Globe".*"Lamp"/);
  });
});

describe('the guide to caching', () => {
  it('[CACHE-2] shows a request that is 304 until something changes', async (context) => {
    await using page = await open(context, 'docs/guides/caching.md');
    const ask = (etag: string) => page.run('If-None-Match', { $ETAG: etag.replaceAll('"', '\\"') });
    const etag = await page.run('ETAG=', { 'ETAG=$(': '', ')': '' });
    assert.match(await ask(etag), /^HTTP\/1\.1 304 /);
    await page.desk.send({ send: 'POST /api/v1/orders', body: { quantity: 1 } });
    assert.match(await ask(etag), /^HTTP\/1\.1 200 /);
  });

  it('[CACHE-5] shows a model and its Cache-Control', async () => {
    const guide = readPage('docs/guides/caching.md');
    const [model = ''] = readBlocks(guide, 'yaml');
    await using desk = await apiUnderTest(`name: shop\n${model.replaceAll('schema: …', 'schema: { type: object }')}`);
    const controls = new Map(
      readRows(guide, '## Cache-Control').map(([response = '', value]) => [response, readCodes(value)]),
    );
    const shown = async (target: string, headers = {}) =>
      (await desk.send({ send: `GET /api/v1/${target}`, headers })).headers.get('cache-control');
    assert.deepEqual(controls.get('`scope: public`'), [await shown('countries')]);
    assert.deepEqual(controls.get('`max_age` alone'), [await shown('settings')]);
    const [, authorization = '', withIt] = controls.get('no `cache` in the model') ?? [];
    assert.deepEqual(
      [controls.get('no `cache` in the model')?.[0], withIt],
      [await shown('orders'), await shown('orders', { [authorization]: 'Bearer x' })],
    );
  });
});

describe('the guide to formats', () => {
  const guide = readPage('docs/guides/formats.md');
  const form = (desk: ApiUnderTest, body: string) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return desk.send({ send: 'POST /api/v1/products', headers, body });
  };

  it('[NEG-4] shows a resource in XML', async () => {
    await using desk = await apiUnderTest(MODEL);
    const [body = ''] = readBlocks(guide, 'xml');
    const sent = body.replace(/ *<id>.*<\/id>\n/, '');
    const {
      status,
      body: made,
      text,
    } = await desk.send({
      send: 'POST /api/v1/products',
      headers: { 'Content-Type': 'application/xml', Accept: 'application/json' },
      body: sent,
    });
    assert.equal(status, 201, text);
    const { name, category, tags, labels } = made;
    assert.deepEqual([name, category, tags, labels], ['Lamp', null, ['new', 'red'], { 'any text': 'x' }]);
    const read = await desk.send({ send: `GET ${made.links.self}`, headers: { Accept: 'application/xml' } });
    for (const line of sent.trim().split('\n').slice(1, -1)) assert.ok(read.text.includes(line.trim()), line);
  });

  it('[NEG-5] shows a form', async () => {
    await using desk = await apiUnderTest(MODEL);
    const { status, body } = await form(desk, (readBlocks(guide, '')[0] ?? '').trim());
    const { name, tags, address, items } = body;
    assert.deepEqual(
      [status, name, tags, address, items],
      [201, 'Lamp', ['new', 'red'], { city: 'Oslo' }, [{ sku: 'a' }]],
    );
  });

  it('[NEG-5] shows how a form writes null and the unusual keys of maps', async () => {
    await using desk = await apiUnderTest(MODEL);
    const syntax = new Map(
      readRows(guide, '## Forms').map(([value = '', cell]) => [value, readCodes(cell).at(-1) ?? '']),
    );
    const made = async (value: string, member: string) => {
      const field = syntax.get(value) ?? assert.fail(value);
      return (await form(desk, member === 'labels' ? `${field}=x` : field)).body[member];
    };
    assert.equal(await made('null', 'category'), null);
    assert.deepEqual(await made('a map key with `[`, `]`, `%` or a control character', 'labels'), { 'a]b': 'x' });
    assert.deepEqual(await made('the empty map key', 'labels'), { '': 'x' });
    assert.deepEqual((await form(desk, 'tags[]')).body.tags, []);
    const json = await form(desk, '{"name":"Lamp"}');
    assert.deepEqual([json.status, json.body.errorCode], [415, 'REQUEST_MEDIA_TYPE_UNSUPPORTED']);
  });
});

describe('the tour of a protected API', () => {
  it('[AUTH-8b] refuses a request without a key, and answers one with it', async (context) => {
    const [, section = ''] = readPage('docs/guides/tour.md').split('## A protected API');
    const script = readCommands(section).map((line) =>
      line.endsWith(' &') ? inBackground(line) : line.replace('curl -i http://127.0.0.1:3001', 'curl -sSi "$ORIGIN"'),
    );
    assert.equal(script.length, 5);
    const { stdout } = await inShell(temporaryDirectory(context), script.join('\n'));
    assert.deepEqual(stdout.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 201']);
  });
});

describe('the guide to authentication', () => {
  it('[AUTH-1b] shows a token for development, with which a request is answered', async (context) => {
    const folder = temporaryDirectory(context);
    const model = path.join(folder, 'shop.yaml');
    writeFileSync(model, MODEL);
    const shell = (command: string) => inShell(folder, command);
    const [make = '', ask = ''] = readCommands(readPage('docs/guides/auth.md'));
    const [, accepted = ''] = /\n\n(auth:\n.*?)\n\n/s.exec((await shell(make)).stderr) ?? [];
    const text = `${MODEL}${accepted}\n`;
    writeFileSync(model, text);
    await using desk = await startApi({ model: loadModel({ text }).model, database: ':memory:', folder });
    const server = await serveHttp({ api: desk.api, port: 0 });
    try {
      const origin = `http://127.0.0.1:${server.port}`;
      const command = ask.replace('http://127.0.0.1:3000', origin).replace('curl ', 'curl -sSi ');
      assert.match((await shell(command)).stdout, /^HTTP\/1\.1 200 /);
      assert.match((await shell(`curl -sSi ${origin}/api/v1/products`)).stdout, /^HTTP\/1\.1 401 /);
    } finally {
      await server.close();
    }
  });
});

/** Commands that are run by other tests. */
const ELSEWHERE: readonly (readonly [begin: RegExp, test: string])[] = [
  [/^(?:\S*\/)?restwright(?:\.js)? /, 'test/guides/commands.slow.test.ts'],
  [/^npm start|^npm test/, 'scripts/first-start.mjs'],
  [/^tarball=|^npm install "\$tarball"/, 'test/package/first-hour/first-hour.slow.test.ts'],
  [/^source <\(restwright completion/, 'test/cli/completion/completion.test.ts'],
  [/^npm init -y|^npm install --save-dev typescript|^npx tsc /, 'test/package/typescript-guides.slow.test.ts'],
  [/^curl \S+\/api\/(?:webhooks|products) |^WEBHOOK_SECRET=/, 'test/guides/first-webhook.test.ts'],
  [/^curl \S+ \S+\/api\/v1\/people/, 'test/guides/postgrest.slow.test.ts'],
  [/^docker /, 'test/package/container.slow.test.ts'],
  [/^cd examples\/deploy\/brokers\/|^echo "BROKER_PASSWORD=/, 'test/deploy/brokers.test.ts'],
  [/^npm install (?:@nats-io|@redis|rabbitmq-client|@platformatic)/, 'package.json'],
  [
    /^pip install |^(?:node|python) consumer\.|^go run \.\//,
    'test/relays/consumers-nats.slow.test.ts and its siblings',
  ],
  [/^sqlite3 /, 'test/deploy/backup.slow.test.ts'],
  [/^cp examples\/deploy\/|^systemctl /, 'test/deploy/files.test.ts'],
  [/^npm run build:executable|^scp dist\/restwright /, 'test/package/executable.slow.test.ts'],
  [/^npm install @modelcontextprotocol\/server|^claude mcp add /, 'test/mcp/agents.slow.test.ts'],
];

describe('every command of the guides', () => {
  const here = ['docs/guides/auth.md', 'docs/guides/caching.md', 'docs/guides/writes.md'];
  const others = ['docs/guides/postgrest.md', 'docs/guides/tour.md', 'docs/guides/webhooks.md', 'README.md'];
  for (const page of PAGES.filter((each) => !here.includes(each)))
    it(`is run by a test: ${page}`, () => {
      const commands = readCommands(
        readPage(page)
          .replace(/<!-- requests -->.*<!-- \/requests -->/s, '')
          .replace(/## A protected API.*/s, ''),
      );
      const left = commands.filter((command) => !ELSEWHERE.some(([begin]) => begin.test(command)));
      assert.deepEqual(left, []);
    });

  it('is known where it is a request', () => {
    const pages = PAGES.filter((page) => readCommands(readPage(page)).some((command) => command.startsWith('curl ')));
    assert.deepEqual(pages.toSorted(), [...here, ...others].toSorted());
    assert.equal(readCommands(here.map(readPage).join('\n')).length, 9);
  });
});
