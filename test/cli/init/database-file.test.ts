import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { databaseWith } from '../../introspect/table-drafts.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function init(...args: readonly string[]): Promise<Result> {
  const terminal = recordedTerminal();
  const code = await run(['init', ...args], terminal);
  return { code, ...terminal.written() };
}

/** The names of the resources of a model on standard output. */
function listResources({ code, stdout, stderr }: Result): readonly string[] {
  assert.equal(code, 0, stderr);
  return [...stdout.matchAll(/^ {2}(\w+):$/gm)].map(([, name = '']) => name);
}

function filmDatabase(context: TestContext): string {
  return databaseWith(
    context,
    `create table film (id integer primary key); create table film_actor (id integer primary key);
     create table store (id integer primary key); create table staff (id integer primary key)`,
  );
}

describe('restwright init --from a SQLite database', () => {
  it('writes a model over its tables, and names the commands that check and serve it', async (context) => {
    const file = filmDatabase(context);
    const model = path.join(path.dirname(file), 'shop.yaml');
    const { code, stdout } = await init('--from', file, '--output', model);
    assert.equal(code, 0);
    const [wrote = '', , check = '', read = '', write = ''] = stdout.split('\n');
    assert.equal(wrote, `wrote ${model}: 4 resources over the tables of ${file}`);
    assert.ok(check.endsWith(`check ${model}`), check);
    const serve = `serve ${model} --database ${file}`;
    assert.ok(read.endsWith(`${serve} --read-only`), read);
    assert.ok(write.endsWith(`${serve}  # writes rows, too, and creates the tables restwright_*`), write);
    const text = readFileSync(model, 'utf8');
    assert.match(text, /^# yaml-language-server: .+\n# Read from shop\.sqlite: check the types/);
    assert.match(text, /^name: shop$/m);
    assert.match(text, /^ {2}film_actors:\n {4}table: film_actor\n {4}key: id\n/m);
  });

  it('finds a database by its first bytes or by its extension', async (context) => {
    const file = filmDatabase(context);
    const other = path.join(path.dirname(file), 'northwind.data');
    copyFileSync(file, other);
    assert.equal(listResources(await init('--from', other, '--output', '-')).length, 4);
    for (const extension of ['sqlite', 'sqlite3', 'db', 'db3', 'DB']) {
      const invalid = path.join(path.dirname(file), `invalid.${extension}`);
      writeFileSync(invalid, 'id,name\n1,Ann\n'.repeat(100));
      const { code, stderr } = await init('--from', invalid, '--output', '-');
      assert.equal(code, 1);
      assert.match(stderr, /invalid\.\w+ is not a SQLite database, or it is encrypted\. Name another file/);
    }
  });

  it('uses the tables of --tables without those of --exclude, each with commas or repeated', async (context) => {
    const file = filmDatabase(context);
    const select = async (...args: readonly string[]): Promise<readonly string[]> =>
      listResources(await init('--from', file, '--output', '-', ...args));
    assert.deepEqual(await select('--tables', 'film*,STORE'), ['films', 'film_actors', 'stores']);
    assert.deepEqual(await select('--tables', 'film', '--tables', 'store'), ['films', 'stores']);
    assert.deepEqual(await select('--exclude', 'film*', '--exclude', 'staff'), ['stores']);
    assert.deepEqual(await select('--tables', 'film*', '--exclude', '*_*'), ['films']);
  });

  const refusals: readonly [title: string, args: readonly string[], message: RegExp][] = [
    [
      'a table that does not exist',
      ['--tables', 'flim'],
      /--tables: there is no table 'flim'; did you mean 'film'\?$/m,
    ],
    ['an excluded table that does not exist', ['--exclude', 'x*'], /--exclude: no table matches 'x\*'\.$/m],
  ];
  for (const [title, args, message] of refusals) {
    it(`refuses ${title}: exit 2`, async (context) => {
      const { code, stderr } = await init('--from', filmDatabase(context), '--output', '-', ...args);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }

  it('refuses a file that does not exist, and a folder: exit 2', async (context) => {
    const folder = temporaryDirectory(context);
    const gone = await init('--from', path.join(folder, 'gone.sqlite'), '--output', '-');
    assert.equal(gone.code, 2);
    assert.match(gone.stderr, /cannot read \S+gone\.sqlite: no such file\./);
    const directory = await init('--from', folder, '--output', '-');
    assert.equal(directory.code, 2);
    assert.match(directory.stderr, /it is a directory\./);
  });

  it('refuses a database without tables, and writes nothing: exit 1', async (context) => {
    const file = databaseWith(context, 'create view v as select 1');
    const model = path.join(path.dirname(file), 'shop.yaml');
    const { code, stderr } = await init('--from', file, '--output', model);
    assert.equal(code, 1);
    assert.match(stderr, /shop\.sqlite: it has only views, which have no key; write a model/);
    assert.throws(() => readFileSync(model), /ENOENT/);
  });

  it('refuses the selection of tables without a database: exit 2', async (context) => {
    const csv = path.join(temporaryDirectory(context), 'rows.csv');
    writeFileSync(csv, 'id\n1\n');
    for (const args of [['--from', csv], []]) {
      const { code, stderr } = await init(...args, '--output', '-', '--tables', 'film');
      assert.equal(code, 2);
      assert.match(stderr, /--tables: name a database of SQLite or PostgreSQL with --from\./);
    }
  });

  it('has both options in its help', async () => {
    const { stdout } = await init('--help');
    assert.match(stdout, /--tables <patterns> +tables of a database to use/);
    assert.match(stdout, /--exclude <patterns> +tables of a database to leave out/);
    assert.match(stdout, /restwright init --from shop\.sqlite --tables/);
  });
});
