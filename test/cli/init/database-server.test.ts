import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { run } from '../../../src/cli/program.ts';
import { startOwnPostgres } from '../../postgres-server.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const PASSWORD = 'pass word/é';

const server = await startOwnPostgres(PASSWORD);
after(() => server.stop());

/** The URL of the database, without a password or with one. */
function databaseUrl(password = ''): string {
  const url = new URL(server.url('public'));
  url.searchParams.delete('schema');
  url.password = password;
  return url.href;
}

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function restwright(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
  const terminal = recordedTerminal(env);
  const code = await run(args, terminal);
  return { code, ...terminal.written() };
}

/** The tables of a model on standard output. */
function listTables({ code, stdout, stderr }: Result): readonly string[] {
  assert.equal(code, 0, stderr);
  return [...stdout.matchAll(/^ {4}table: (.*)$/gm)].map(([, name = '']) => name);
}

const environment = { RESTWRIGHT_DATABASE_PASSWORD: PASSWORD };
const init = (...args: readonly string[]): Promise<Result> =>
  restwright(['init', '--from', databaseUrl(), ...args], environment);

describe('restwright init --from a PostgreSQL database', () => {
  before(async () => {
    const client = new pg.Client({ connectionString: databaseUrl(PASSWORD) });
    await client.connect();
    await client.query(
      `create table film (id integer primary key, title text); create table actor (id integer primary key);
       create schema sales; create table sales.order (id integer primary key)`,
    );
    await client.end();
  });

  /** The path of a model that does not exist. */
  const modelPath = (context: TestContext): string => path.join(temporaryDirectory(context), 'shop.yaml');

  it('writes a model that check accepts, and names the commands that check and serve it', async (context) => {
    const model = modelPath(context);
    const { code, stdout, stderr } = await init('--output', model);
    assert.equal(code, 0, stderr);
    const [wrote = '', , check = '', read = '', write = ''] = stdout.split('\n');
    assert.equal(wrote, `wrote ${model}: 2 resources over the tables of ${databaseUrl()}`);
    assert.ok(check.endsWith(`check ${model}`), check);
    const serve = `serve ${model} --database '${databaseUrl()}'`;
    assert.ok(read.endsWith(`${serve} --read-only`), read);
    assert.ok(write.endsWith(`${serve}  # writes rows, too, and creates the schema restwright`), write);
    const text = readFileSync(model, 'utf8');
    assert.deepEqual(text.split('\n').slice(1, 6), [
      `# Read from ${databaseUrl()}: check the types and remove what is not needed.`,
      '# Left out: the schemas sales: name them with --schema.',
      `# Serve it: restwright ${serve}`,
      '# With --read-only nothing is written or created, and a role with SELECT is enough.',
      'name: postgres',
    ]);
    const checked = await restwright(['check', model]);
    assert.equal(checked.code, 0, checked.stderr);
  });

  it('writes the password of the URL neither to the model nor to a message', async (context) => {
    const model = modelPath(context);
    const encoded = new URL(databaseUrl(PASSWORD)).password;
    const from = ['init', '--from', databaseUrl(PASSWORD), '--output', model];
    const results = [
      await restwright(from),
      await restwright(from),
      await restwright([...from, '--force', '--tables', 'gone']),
      await restwright([...from, '--force', '--schema', 'gone']),
      await restwright([...from, '--force'], { RESTWRIGHT_DATABASE_PASSWORD: 'wrong' }),
    ];
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 2, 2, 2, 1],
      results.map(({ stderr }) => stderr).join(''),
    );
    const text = readFileSync(model, 'utf8');
    for (const shown of [text, ...results.flatMap(({ stdout, stderr }) => [stdout, stderr])]) {
      assert.ok(!shown.includes(encoded) && !shown.includes(PASSWORD), shown);
    }
    assert.match(text, /^# with its password in the environment variable RESTWRIGHT_DATABASE_PASSWORD\.$/m);
    assert.match(results.at(-1)?.stderr ?? '', /postgres:\*\*\*@.* cannot be opened: password authentication failed/);
  });

  it('reads the password from the file of a variable, as serve does', async (context) => {
    const file = path.join(temporaryDirectory(context), 'password');
    writeFileSync(file, `${PASSWORD}\n`);
    const variables = { RESTWRIGHT_DATABASE_PASSWORD_FILE: file };
    const args = ['init', '--from', databaseUrl(), '--output', '-'];
    assert.deepEqual(listTables(await restwright(args, variables)), ['public.actor', 'public.film']);
  });

  it('uses the schemas of --schema and the tables of --tables without those of --exclude', async () => {
    const select = async (...args: readonly string[]): Promise<readonly string[]> =>
      listTables(await init('--output', '-', ...args));
    assert.deepEqual(await select('--schema', 'sales'), ['sales.order']);
    assert.deepEqual(await select('--schema', 'public,sales', '--exclude', 'film'), ['public.actor', 'sales.order']);
    assert.deepEqual(await select('--schema', 'public', '--schema', 'sales', '--tables', 'public.f*,order'), [
      'public.film',
      'sales.order',
    ]);
  });

  const refusals: readonly [title: string, args: readonly string[], code: number, message: RegExp][] = [
    [
      'a schema that does not exist',
      ['--schema', 'slaes'],
      2,
      /--schema: there is no schema 'slaes'; did you mean 'sales'\?$/m,
    ],
    [
      'a table that does not exist',
      ['--tables', 'flim'],
      2,
      /--tables: there is no table 'flim'; did you mean 'film'\?$/m,
    ],
  ];
  for (const [title, args, expected, message] of refusals) {
    it(`refuses ${title}: exit ${expected}`, async () => {
      const { code, stderr } = await init('--output', '-', ...args);
      assert.equal(code, expected);
      assert.match(stderr, message);
    });
  }

  it('refuses a URL that cannot be used: exit 2; a server that cannot be reached: exit 1', async () => {
    const invalid = await restwright(['init', '--from', 'postgres://app:secret@db', '--output', '-']);
    assert.equal(invalid.code, 2);
    assert.match(invalid.stderr, /--from: The URL of the database cannot be used: it names no database/);
    const away = await restwright(['init', '--from', 'postgres://app:secret@127.0.0.1:1/shop', '--output', '-']);
    assert.equal(away.code, 1);
    assert.match(away.stderr, /postgres:\/\/app:\*\*\*@127\.0\.0\.1:1\/shop cannot be opened: .*ECONNREFUSED/);
    assert.doesNotMatch(invalid.stderr + away.stderr, /secret/);
  });

  it('has its schemas in the help', async () => {
    const { stdout } = await restwright(['init', '--help']);
    assert.match(stdout, /--schema <patterns> +schemas of a PostgreSQL database/);
    assert.match(stdout, /the one that the URL\s+names,\s+else public/);
  });
});
