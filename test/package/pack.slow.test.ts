import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { tarballProblems } from '../../scripts/tarball-problems.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** A program that uses the package: one request through each entry point. */
const MOUNTED = `
import http from 'node:http';
import { once } from 'node:events';
import { createListener, loadModel, startApi } from 'restwright';
import { createFetchHandler } from 'restwright/fetch';
import { storeSuite } from 'restwright/testing';

const text = '{"name":"notes","resources":{"notes":{"schema":{"type":"object","properties":{"text":{"type":"string"}}}}}}';
const { model } = loadModel({ file: 'notes.json', text, env: {} });
const { api, close } = await startApi({ model, database: ':memory:' });
const note = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
const fetched = await createFetchHandler(api)(new Request('http://localhost/api/v1/notes', note));
const server = http.createServer(createListener(api)).listen(0);
await once(server, 'listening');
const listened = await fetch('http://127.0.0.1:' + server.address().port + '/api/v1/notes', note);
server.closeAllConnections();
server.close();
const { restwright } = await import('restwright/fastify');
const { default: fastify } = await import(process.argv[2]);
const app = fastify();
app.register(restwright, { api });
const injected = await app.inject({ method: 'POST', url: '/api/v1/notes', payload: {} });
await app.close();
await close();
console.log('fetch ' + fetched.status + ', listener ' + listened.status + ', fastify ' + injected.statusCode + ', testing ' + typeof storeSuite);
`;

/** The same with more rows than are read on the main thread without an index (QRY-3). */
const HEAVY = `
import { loadModel, startApi } from 'restwright';
import { createFetchHandler } from 'restwright/fetch';

const text = '{"name":"notes","resources":{"notes":{"schema":{"type":"object","properties":{"text":{"type":"string"}}}}}}';
const { model } = loadModel({ file: 'notes.json', text, env: {} });
const { api, close } = await startApi({ model, database: 'heavy.db' });
const handle = createFetchHandler(api);
const body = Array.from({ length: 2001 }, (_, index) => '{"text":"' + index + '"}').join('\\n');
const lines = { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body };
await (await handle(new Request('http://localhost/api/v1/notes', lines))).text();
let threads = 0;
process.on('worker', () => { threads += 1; });
const read = await handle(new Request('http://localhost/api/v1/notes?sort=-text&limit=1'));
const { data } = await read.json();
await close();
console.log(threads + ' thread, ' + read.status + ', ' + data[0].text);
`;

/** One problem of each kind that the schema of model documents reports. */
const INVALID = `
name: 5
version: one
public_url: 17
auth: { issuers: [{ issuer: no, jwks_uri: "not a uri" }] }
limits: { rate: { requests: 0 }, body: -1 }
webhooks: { retry: [] }
resources:
  products:
    serchable: [name]
    unique: [[]]
    sortable: [name, name]
    id: serial
    schema: { type: object, properties: { name: { type: text, minLength: -1, format: uri } } }
`;

describe('the published package', () => {
  let folder = '';
  let tarball = '';
  before(() => {
    tarball = execFileSync(process.execPath, ['scripts/pack.ts'], { cwd: root, encoding: 'utf8' }).trim();
    folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-installed-'));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    execFileSync('npm', ['install', tarball, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path.dirname(tarball), { recursive: true, force: true });
  });

  it('can be published: npm refuses nothing of the tarball, which has the guides and no test', () => {
    const args = ['publish', '--dry-run', '--json', '--loglevel=error', tarball];
    const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const [published] = Object.values<{ readonly files: readonly { readonly path: string }[] }>(JSON.parse(stdout));
    const files = published?.files.map((file) => file.path) ?? [];
    for (const file of ['docs/guides/getting-started.md', 'README.md', 'LICENSE', 'bin/restwright.js'])
      assert.ok(files.includes(file), file);
    assert.equal(files.includes('console/dist/index.html'), existsSync(path.join(root, 'console')), 'the console');
    assert.deepEqual(
      files.filter((file) => /(?:^|\/)(?:test|node_modules|\.cache)\//.test(file)),
      [],
    );
    const { publishConfig } = JSON.parse(
      readFileSync(path.join(folder, 'node_modules', 'restwright', 'package.json'), 'utf8'),
    );
    assert.deepEqual(publishConfig, { access: 'public', provenance: true });
  });

  const installed = (...parts: readonly string[]) => path.join(folder, 'node_modules', 'restwright', ...parts);

  it('contains neither a program called node nor the scripts of the checkout', () => {
    const manifest: Record<string, unknown> = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
    assert.deepEqual(
      ['scripts', 'devDependencies', 'optionalDependencies'].filter((member) => member in manifest),
      [],
    );
    assert.equal(existsSync(path.join(folder, 'node_modules', '.bin', 'node')), false);
    assert.equal(existsSync(installed('dist', 'types', 'src', 'index.d.ts')), true);
    assert.equal(existsSync(installed('src')), false);
  });

  it('names its repository, its pages and where to report bugs', () => {
    const manifest: Record<string, unknown> = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
    assert.deepEqual(manifest['repository'], {
      type: 'git',
      url: 'git+https://github.com/restwright/restwright.git',
    });
    assert.match(String(manifest['homepage']), /^https:\/\/github\.com\/restwright\/restwright#/);
    assert.match(String(manifest['bugs']), /^https:\/\/github\.com\/restwright\/restwright\/issues$/);
  });

  it('has pages whose relative links lead to its own files', () => {
    const broken = globSync('**/*.md', { cwd: installed() })
      .filter((page) => !page.includes('node_modules'))
      .flatMap((page) =>
        [...readFileSync(installed(page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
          .map(([, target = '']) => target)
          .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
          .filter(
            (target) => page === 'README.md' || !existsSync(installed(path.dirname(page), target.split('#')[0] ?? '')),
          )
          .map((target) => `${page}: ${target}`),
      );
    assert.deepEqual(broken, []);
  });

  it('has no warning of publint and of Are the types wrong, which find what is broken on purpose', async () => {
    assert.deepEqual(await tarballProblems(new Uint8Array(readFileSync(tarball))), []);
    const broken = mkdtempSync(path.join(os.tmpdir(), 'restwright-broken-'));
    try {
      const manifest = {
        name: 'broken',
        version: '1.0.0',
        type: 'module',
        exports: { types: './no.d.ts', default: './index.js' },
      };
      writeFileSync(path.join(broken, 'package.json'), JSON.stringify(manifest));
      writeFileSync(path.join(broken, 'index.js'), 'export const a = 1;\n');
      writeFileSync(path.join(broken, 'index.d.ts'), 'export const a: number;\n');
      execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error'], { cwd: broken });
      const problems = await tarballProblems(new Uint8Array(readFileSync(path.join(broken, 'broken-1.0.0.tgz'))));
      assert.match(problems.join('\n'), /publint: .*no\.d\.ts/);
      assert.match(problems.join('\n'), /attw: /);
    } finally {
      rmSync(broken, { recursive: true, force: true });
    }
  });

  for (const workers of [1, 2])
    it(`serves a model, workers: ${workers}`, async () => {
      writeFileSync(
        path.join(folder, 'shop.yaml'),
        'name: shop\nresources:\n  products:\n    schema: { type: object, required: [name], properties: { name: { type: string } } }\n',
      );
      const program = path.join(folder, 'node_modules', '.bin', 'restwright');
      const server = spawn(
        process.execPath,
        [program, 'serve', 'shop.yaml', '--port', '0', '--workers', String(workers)],
        {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      try {
        const lines = createInterface({ input: server.stdout });
        const [line]: string[] = await once(lines, 'line');
        const [, url = ''] = /^listening on (http:\/\/127\.0\.0\.1:\d+\/api)$/.exec(line ?? '') ?? [];
        const created = await fetch(`${url}/v1/products`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"name":"Lamp"}',
        });
        assert.equal(created.status, 201);
        const read = await fetch(new URL(created.headers.get('location') ?? '', url));
        assert.deepEqual(await read.json(), await created.json());
        const page = await fetch(new URL('/', url), { headers: { Accept: 'text/html' } });
        assert.match(await page.text(), /<style>[^<]{1000,}<\/style>[^]*<script>[^]{1000,}<\/script>/);
      } finally {
        server.kill('SIGTERM');
      }
      assert.deepEqual(await once(server, 'exit'), [0, null]);
    });

  it('reports the same problems of an invalid model as the checkout, with the compiled check', () => {
    writeFileSync(path.join(folder, 'invalid.yaml'), INVALID);
    const checked = (program: string) =>
      spawnSync(process.execPath, [program, 'check', 'invalid.yaml'], { cwd: folder, encoding: 'utf8' });
    const { status, stdout } = checked(installed('bin', 'restwright.js'));
    assert.deepEqual([status, stdout], [1, checked(path.join(root, 'bin', 'restwright.js')).stdout]);
    assert.match(stdout, /serchable/);
  });

  it('writes a model whose first line names the schema in the package, by a relative path', () => {
    execFileSync(process.execPath, [installed('bin', 'restwright.js'), 'init'], { cwd: folder });
    const [, schema = ''] = /\$schema=(\S+)/.exec(readFileSync(path.join(folder, 'restwright.yaml'), 'utf8')) ?? [];
    assert.equal(schema, './node_modules/restwright/schema/model.schema.json');
    assert.ok(existsSync(path.join(folder, schema)));
  });

  it('exports the library', () => {
    const script = "import('restwright').then((names) => console.log(Object.keys(names).sort().join()))";
    const names = execFileSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
    assert.match(names, /loadModel.*openApi.*openSqlite.*serveHttp.*startApi/);
  });

  it('exports a listener, fetch, Fastify and the suite for stores', () => {
    writeFileSync(path.join(folder, 'mounted.js'), MOUNTED);
    const statuses = execFileSync(process.execPath, ['mounted.js', import.meta.resolve('fastify')], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(statuses.trim(), 'fetch 201, listener 201, fastify 201, testing function');
  });

  it('[QRY-3] runs heavy reads on a worker thread', () => {
    writeFileSync(path.join(folder, 'heavy.js'), HEAVY);
    const read = execFileSync(process.execPath, ['heavy.js'], { cwd: folder, encoding: 'utf8' });
    assert.equal(read.trim(), '1 thread, 200, 999');
  });

  it('has types, and needs no further ones', () => {
    const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: false };
    const node = { types: ['node'], typeRoots: [path.join(root, 'node_modules', '@types')] };
    const tsconfig = { compilerOptions: { ...options, ...node }, files: ['embedder.ts'] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    writeFileSync(
      path.join(folder, 'embedder.ts'),
      "import { type Api, type DefinedModel, type Observe, startApi, type StartedApi } from 'restwright';\nimport { createApi, type ApiOptions } from 'restwright/api';\nimport type { Resource } from 'restwright/model';\nimport type { Store } from 'restwright/stores';\nexport type Old = [import('restwright').Resource, import('restwright').OpenApiOptions, Resource, Store];\nimport type { MountedApi } from 'restwright/fetch';\nexport const mount = (api: Api): MountedApi => api;\nexport const open = (options: ApiOptions): Promise<Api> => createApi(options);\nexport const opened = (model: DefinedModel, observe: Observe): Promise<StartedApi> => startApi({ model, database: ':memory:', observe });\n",
    );
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [0, '']);
  });
});
