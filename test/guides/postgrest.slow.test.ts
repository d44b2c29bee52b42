import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { serveHttp } from '../../src/http/serve-http.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';
import { type PostgresSource, postgresSource } from '../stores/existing/postgres-source.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readCodes, readCommands, readPage, readRows } from './guide-pages.ts';
import { inBackground, inShell } from './guide-shell.ts';

const guide = readPage('docs/guides/postgrest.md');
const [sql = ''] = readBlocks(guide, 'sql');
const [model = '', guarded = ''] = readBlocks(guide, 'yaml');
const commands = readCommands(guide);

describe('the guide from PostgREST', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    source = await postgresSource(`${sql} grant select on all tables in schema public to READER;`);
    api = await apiUnderTest(model, { readOnly: true, database: source.readerUrl });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  it('shows the model that init writes, but for what is added by hand, and serves it', async (context) => {
    const folder = temporaryDirectory(context);
    const onServer = (line: string): string =>
      line.replace('postgres://reader@db.example.com/app', `'${source.readerUrl}'`).replace('FILE', 'app.yaml');
    const [init = '', serve = ''] = commands.filter((line) => line.startsWith('restwright ')).map(onServer);
    await inShell(folder, init);
    const shape = (text: string): unknown => {
      const { resources } = loadModel({ text }).model;
      return [...resources.values()].map(({ name, table, fields }) => [name, table, fields]);
    };
    assert.deepEqual(shape(readFileSync(path.join(folder, 'app.yaml'), 'utf8')), shape(model));
    const { stdout } = await inShell(folder, `${inBackground(serve)}\ncurl -sS "$ORIGIN/api/v1/people/1"`);
    assert.equal(JSON.parse(stdout).name, 'Ann');
  });

  it('shows requests and what they return', async () => {
    const server = await serveHttp({ api: api.api, port: 0 });
    const run = async (line: string): Promise<string> => {
      const command = line.replace('127.0.0.1:3000', `127.0.0.1:${server.port}`).replace('curl ', 'curl -sS ');
      return (await promisify(execFile)('sh', ['-ec', command])).stdout;
    };
    const [list = '', item = ''] = commands.filter((line) => line.startsWith('curl '));
    const plain = (text: string): unknown =>
      JSON.parse(text, (name, value: unknown) => (name === 'revision' ? 745 : value));
    const shown = plain(readBlocks(guide, 'json')[0] ?? '');
    assert.deepEqual({ data: Object(plain(await run(list))).data }, shown);
    assert.match(await run(item), /^HTTP\/1\.1 200 .*\r\nETag: "/s);
    await server.close();
  });

  it('has a URL for each of PostgREST, with the rows that it is for', async () => {
    const ids = new Map<string, readonly string[]>();
    for (const [theirs = '', ours] of readRows(guide, '## Which URL becomes which')) {
      const [target = ''] = readCodes(ours);
      if (!/^\/(?:people|teams)/.test(target) || theirs.includes('csv')) continue;
      const { status, body, text } = await api.send({ send: `GET /api/v1${target}` });
      assert.equal(status, 200, `${target}: ${text}`);
      const rows = body.page === undefined ? [body] : body.data;
      ids.set(
        target,
        rows.map(({ id }: { id: string }) => id),
      );
    }
    const all = ['1', '2', '3'];
    assert.deepEqual(Object.fromEntries(ids), {
      '/people/1': ['1'],
      '/people?age=34': ['1'],
      '/people?age[gte]=18&age[lt]=65': ['1'],
      '/people?age[ne]=34': ['2', '3'],
      '/people?age[in]=17,34': ['1', '2'],
      '/people?age[exists]=false': ['3'],
      '/people?age[exists]=true': ['1', '2'],
      '/people?name[starts_with]=An': ['1'],
      '/people?name[contains]=nn': ['1'],
      '/people?q=ann': ['1'],
      '/people?tags[contains]=dev': ['1'],
      '/people?data.blood_type=A-': ['1'],
      '/people?any[1][age][lt]=18&any[2][age][gt]=30': ['1', '2'],
      '/people?expand=team&team.name=Blue': ['1', '2'],
      '/people?fields=name,age': all,
      '/people?expand=team': all,
      '/teams?expand=people': ['1', '2'],
      '/people?sort=-age,name': all,
      '/people?limit=15&offset=30': [],
      '/people?limit=20': all,
      '/people?include_total=true': all,
    });
  });

  it('shows a model whose callers are judged by the roles and policies of the database', async () => {
    const { username } = new URL(source.readerUrl);
    const named = (text: string): string => text.replaceAll(/web_(?:user|anon)/g, (name) => `${username}_${name}`);
    await source.change(
      named(`
        create role web_user nologin;
        create role web_anon nologin;
        grant web_user, web_anon to READER;
        grant select on people to web_user, web_anon;
        alter table people enable row level security;
        create policy team on people to web_user using (team_id::text = current_setting('request.jwt.claims', true)::json->>'team');
        create policy public on people to web_anon using (team_id is null);
      `),
    );
    const text = `name: app\nlimits: { rate: false }\n${named(guarded.replace('${JWT_SECRET}', '0'.repeat(32)))}`;
    await using desk = await apiUnderTest(text, { readOnly: true, database: source.readerUrl, tokens: callerTokens() });
    const ids = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const { status, body } = await desk.send({ send: 'GET /api/v1/people', headers });
      return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status;
    };
    const asRole = (role: string, team: string): Readonly<Record<string, string>> =>
      as({ subject: 'ann', claims: { role: named(role), team } });
    assert.deepEqual(await ids(asRole('web_user', '1')), ['1', '2']);
    assert.deepEqual(await ids(asRole('web_user', '2')), ['3']);
    assert.deepEqual(await ids({}), []);
    assert.equal(await ids(asRole('postgres', '1')), 403);
    await source.change(
      named('alter table people disable row level security; drop owned by web_user, web_anon cascade'),
    );
    await source.change(named('drop role web_user, web_anon'));
  });
});
