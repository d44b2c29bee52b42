import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'forms-'));
});
after(() => rm(folder, { recursive: true }));

async function command(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const terminal = recordedTerminal();
  const code = await run(args, terminal);
  return { code, ...terminal.written() };
}

const SYSTEM = new Set(['created_at', 'updated_at', 'revision']);

/** Infers a model from a file, imports the file, and exports what is stored. */
async function roundTrip(
  name: string,
  content: string | Uint8Array,
  ...flags: readonly string[]
): Promise<{ readonly rows: readonly unknown[]; readonly stderr: string }> {
  const made = await mkdtemp(path.join(folder, 'data-'));
  const [file, model, database] = ['', 'm.yaml', 'm.db'].map((each) => path.join(made, each === '' ? name : each));
  assert.ok(file !== undefined && model !== undefined && database !== undefined);
  await writeFile(file, content);
  const { code, stdout, stderr } = await command('init', '--from', file, '--output', model, ...flags);
  assert.equal(code, 0, stderr);
  const [, collection = ''] = /import \S+ (\w+) /.exec(stdout) ?? [];
  const imported = await command('import', model, collection, file, '--database', database, ...flags);
  assert.equal(imported.code, 0, imported.stderr);
  const exported = await command('export', model, collection, '--database', database);
  const rows = exported.stdout
    .trim()
    .split('\n')
    .map((line) => Object.fromEntries(Object.entries(Object(JSON.parse(line))).filter(([each]) => !SYSTEM.has(each))));
  return { rows, stderr };
}

const utf16 = (text: string, isBig = false): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

const PEOPLE = [
  { id: '1', name: 'Zoë', note: 'a, "b"' },
  { id: '2', name: 'Åsa', note: null },
];

describe('a CSV file', () => {
  const rows = (delimiter: string): string =>
    [
      ['id', 'name', 'note'],
      ['1', 'Zoë', '"a, ""b"""'],
      ['2', 'Åsa', ''],
    ]
      .map((cells) => `${cells.join(delimiter)}\r\n`)
      .join('');
  const files: readonly [title: string, name: string, content: string | Uint8Array][] = [
    ['with commas', 'people.csv', rows(',')],
    ['with a byte-order mark', 'people.csv', `\uFEFF${rows(',')}`],
    ['with semicolons', 'people.csv', rows(';')],
    ['with tabs', 'people.tsv', rows('\t')],
    ['with pipes', 'people.csv', rows('|')],
    ['that names its separator', 'people.csv', `sep=;\r\n${rows(';')}`],
    ['that names the comma', 'people.csv', `sep=,\r\n${rows(',')}`],
    ['in Windows-1252', 'people.csv', Buffer.from(rows(';'), 'latin1')],
    ['in UTF-16', 'people.csv', utf16(rows('\t'))],
    ['in UTF-16 with the high byte first', 'people.csv', utf16(rows(','), true)],
  ];
  for (const [title, name, content] of files) {
    it(`${title} is inferred and imported`, async () => {
      assert.deepEqual((await roundTrip(name, content)).rows, PEOPLE);
    });
  }

  it('keeps a comma in a cell where cells are separated by another character', async () => {
    const { rows: found } = await roundTrip('p.csv', 'id;price\n1;1,5\n2;3\n');
    assert.deepEqual(found, [
      { id: '1', price: '1,5' },
      { id: '2', price: '3' },
    ]);
  });

  it('is read with the separator and the encoding that the command line names', async () => {
    const content = Buffer.from('id;a,b\n1;ü\n', 'latin1');
    const { rows: found } = await roundTrip('p.csv', content, '--delimiter', 'semicolon', '--encoding', 'latin1');
    assert.deepEqual(found, [{ id: '1', a_b: 'ü' }]);
    const wrong = await command('init', '--from', 'p.csv', '--delimiter', 'x');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--delimiter: 'x' is not known; use comma, semicolon, tab, pipe/);
  });
});

describe('a JSON file', () => {
  it('may have one object on each line, as mongoexport writes it, with extended JSON', async () => {
    const lines = [
      {
        _id: { $oid: '5f43a1b2c3d4e5f601234567' },
        at: { $date: '2026-01-31T12:00:00Z' },
        seen: { $date: { $numberLong: '1700000000000' } },
        count: { $numberLong: '12' },
        ratio: { $numberDouble: '0.5' },
        price: { $numberDecimal: '12.50' },
      },
      { _id: { $oid: '5f43a1b2c3d4e5f601234568' }, count: { $numberInt: '3' } },
    ];
    const { rows } = await roundTrip('events.json', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    assert.deepEqual(rows, [
      {
        id: '5f43a1b2c3d4e5f601234567',
        at: '2026-01-31T12:00:00.000Z',
        seen: '2023-11-14T22:13:20.000Z',
        count: 12,
        ratio: 0.5,
        price: '12.50',
      },
      { id: '5f43a1b2c3d4e5f601234568', at: null, seen: null, count: 3, ratio: null, price: null },
    ]);
  });

  it('keeps ids beyond 2^53 digit by digit', async () => {
    const { rows } = await roundTrip(
      'posts.json',
      '[{"id":12345678901234567890,"parent":9007199254740993},\n{"id":9007199254740993,"parent":null}]',
    );
    assert.deepEqual(
      rows.map((row) => Object.values(Object(row))[0]),
      ['12345678901234567890', '9007199254740993'],
    );
  });

  it('says on the terminal which members are no lists of objects', async () => {
    const { stderr } = await roundTrip('db.json', '{"posts":[{"id":1}],"tags":["a","b"],"profile":{"name":"Ann"}}');
    assert.match(stderr, /Left out: "tags", which is not a list of objects\./);
    assert.match(stderr, /"profile" is one object: profile\w* has one row\./);
  });
});
