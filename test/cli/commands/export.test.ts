import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { writeRows } from '../../../src/cli/export/export-file.ts';
import { run } from '../../../src/cli/program.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = `
name: store
version: 1.0.0
resources:
  suppliers: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        price: { type: string, format: decimal, x-scale: 2 }
        weight: { type: number }
        fragile: { type: boolean }
        tags: { type: array, items: { type: string } }
        labels: { type: object, additionalProperties: { type: string } }
        address: { type: object, properties: { city: { type: string }, zip: { type: string } } }
        phase: { type: string, enum: [NEW, DONE], default: NEW }
        supplier_id: { type: string, x-references: suppliers }
        owner: { type: string, readOnly: true }
        secret: { type: string, writeOnly: true }
    state: { field: phase, initial: NEW, transitions: { NEW: [DONE] } }
  reviews: { parent: products, schema: { type: object, properties: { stars: { type: integer } } } }
  answers: { parent: reviews, schema: { type: object, properties: { text: { type: string } } } }
`;
const TEXTS = [
  '',
  ' a ',
  '=1+1',
  "'=x",
  '"q", r',
  'a\r\nb\rc\nd',
  '\u0001\u001b',
  '😀 é',
  '[]',
  '{}',
  'null',
  '-',
  'x,y;z\t',
];

const id = (kind: number, index: number): string => `01980000-0000-7000-8${kind}00-${String(index).padStart(12, '0')}`;

/** Rows with values that are difficult to represent in some format. */
const ROWS: Readonly<Record<string, readonly object[]>> = {
  suppliers: TEXTS.filter((text) => text !== '' && !/\p{Cc}/u.test(text)).map((name) => ({ id: name, name })),
  products: TEXTS.map((text, index) => ({
    id: id(1, index),
    name: text,
    price: index % 3 === 0 ? null : `-${index}.50`,
    weight: index % 2 === 0 ? 1e21 : null,
    fragile: index % 4 === 0,
    tags: index === 0 ? [] : [text, ''],
    labels: index === 1 ? null : index === 2 ? {} : { [text]: text },
    address: index === 3 ? null : index === 4 ? {} : { city: text },
    phase: index === 5 ? 'DONE' : 'NEW',
    supplier_id: index === 6 ? '=1+1' : null,
    owner: index === 7 ? 'me' : null,
    secret: 'never leaves',
    created_at: '2020-01-01T00:00:00.123Z',
    updated_at: '2021-01-01T00:00:00.000Z',
  })),
  reviews: [{ id: id(2, 1), product_id: id(1, 1), stars: -5 }],
  answers: [{ id: id(3, 1), review_id: id(2, 1), text: 'a' }],
};

let folder: string;
let model: string;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
  model = path.join(folder, 'store.yaml');
  await writeFile(model, MODEL);
  for (const [collection, rows] of Object.entries(ROWS)) {
    const file = path.join(folder, `${collection}.json`);
    await writeFile(file, JSON.stringify(rows, null, 2));
    await command('import', collection, file, 'first');
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function command(
  name: string,
  collection: string,
  file: string,
  database: string,
  ...flags: readonly string[]
): Promise<ReturnType<ReturnType<typeof recordedTerminal>['written']>> {
  const terminal = recordedTerminal();
  const code = await run(
    [name, model, collection, file, '--database', `sqlite:${path.join(folder, database)}.db`, ...flags],
    terminal,
  );
  assert.equal(code, 0, terminal.written().stderr);
  return terminal.written();
}

/** The rows of a JSON file, without their revisions. */
function readRows(file: string): readonly unknown[] {
  const rows: readonly Record<string, unknown>[] = JSON.parse(readFileSync(file, 'utf8'));
  return rows.map(({ revision: _revision, ...row }) => row);
}

describe('restwright export', () => {
  for (const format of ['ndjson', 'json', 'csv']) {
    it(`[NEG-1] writes ${format} that import restores completely into an empty database`, async () => {
      for (const collection of Object.keys(ROWS)) {
        const file = path.join(folder, `out-${collection}.${format}`);
        await command('export', collection, file, 'first');
        await command('import', collection, file, `again-${format}`);
        const [original, restored] = [path.join(folder, 'original.json'), path.join(folder, 'restored.json')];
        await command('export', collection, original, 'first', '--force');
        await command('export', collection, restored, `again-${format}`, '--force');
        assert.deepEqual(readRows(restored), readRows(original));
        assert.equal(readRows(original).length, ROWS[collection]?.length);
      }
    });
  }

  it('[REP-11a] [REP-1] writes the fields that GET returns, without links', async () => {
    const { stdout } = await command('export', 'products', '-', 'first');
    const [first = ''] = stdout.split('\n');
    assert.deepEqual(Object.keys(JSON.parse(first)), [
      'id',
      'name',
      'price',
      'weight',
      'fragile',
      'tags',
      'labels',
      'address',
      'phase',
      'supplier_id',
      'owner',
      'created_at',
      'updated_at',
      'revision',
    ]);
    assert.ok(!stdout.includes('never leaves'));
  });

  it('never leaves an incomplete file, and prints the result', async () => {
    const file = path.join(folder, 'whole.csv');
    const { stdout } = await command('export', 'suppliers', file, 'first', '--json');
    assert.deepEqual(JSON.parse(stdout), {
      file,
      collection: 'suppliers',
      outcome: 'complete',
      rows: ROWS['suppliers']?.length,
    });
    const stopped = recordedTerminal();
    stopped.stop.abort('SIGTERM');
    const other = path.join(folder, 'stopped.csv');
    assert.equal(
      await run(['export', model, 'products', other, '--database', `sqlite:${path.join(folder, 'first.db')}`], stopped),
      143,
    );
    assert.ok(!existsSync(other));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.partial')),
      [],
    );
  });

  it('exits with 1 for a missing database, and creates none', async () => {
    const terminal = recordedTerminal();
    const database = path.join(folder, 'none.db');
    assert.equal(await run(['export', model, 'products', '-', '--database', `sqlite:${database}`], terminal), 1);
    assert.match(terminal.written().stderr, /the database .* does not exist/);
    assert.ok(!existsSync(database));
  });

  it('reads no faster than its output is read, and stops when the output is closed', async () => {
    let pages = 0;
    const waiting: (() => void)[] = [];
    const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void waiting.push(done) });
    const rows = async function* rows(): AsyncGenerator<readonly object[]> {
      for (;;) {
        pages += 1;
        yield await Promise.resolve([{ id: 'a' }]);
      }
    };
    const job = {
      collection: 'rows',
      format: 'ndjson' as const,
      as: undefined,
      api: {
        exportRows: () =>
          Promise.resolve({
            csv: { header: '', rows: () => '' },
            total: 1,
            pages: rows() as AsyncGenerator<readonly Record<string, string>[]>,
          }),
      },
      signal: new AbortController().signal,
      now: () => 0,
      onProgress: () => undefined,
    };
    const written = writeRows(output, job);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(pages, 1);
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(pages, 2);
    output.destroy();
    assert.equal((await written).kind, 'closed');
  });
});

describe('restwright import', () => {
  const invalid: readonly (readonly [name: string, content: string, says: RegExp])[] = [
    ['header.csv', 'id,nope\nx,1\n', /header\.csv:1.* unknown column "nope"/],
    ['cells.csv', 'id,name\nx\n', /cells\.csv:2.* 1 cells for 2 columns/],
    ['rows.csv', 'id,name\n"a\nb",x\n\nc\td,y\n', /rows\.csv:2 SUPPLIER_INVALID.*\n.*id: .*control characters/],
    ['object.json', '{"id":"a"}', /object\.json: the file has no member "suppliers" with the rows of the collection/],
    ['commas.json', '[{"id":"a"}\n{"id":"b"}]', /commas\.json:\d.* comma/],
    ['scalars.json', '[1, 2]', /scalars\.json:1/],
    ['cut.json', '[{"id":"a"},\n{"id":', /cut\.json:\d/],
  ];
  for (const [name, content, says] of invalid) {
    it(`reports the error in ${name}, and imports nothing of it`, async () => {
      const file = path.join(folder, name);
      await writeFile(file, content);
      const terminal = recordedTerminal();
      const database = `sqlite:${path.join(folder, `${name}.db`)}`;
      assert.equal(await run(['import', model, 'suppliers', file, '--database', database], terminal), 1);
      assert.match(terminal.written().stderr, says);
    });
  }

  it('resumes after the imported rows, in every format', async () => {
    const starts: Readonly<Record<string, readonly [start: string, rest: string]>> = {
      'grown.csv': ['id,name\r\na,"x\r\ny"\r\n', 'b,y\r\n'],
      'grown.ndjson': ['{"id":"a"}\n', '{"id":"b"}\n'],
      'grown.json': ['[\n  {"id":"a","name":"]},{"}', ',\n  {"id":"b"}\n]\n'],
    };
    for (const [name, [start, rest]] of Object.entries(starts)) {
      const file = path.join(folder, name);
      await writeFile(file, start);
      await command('import', 'suppliers', file, name);
      await writeFile(file, start + rest);
      const { stdout } = await command('import', 'suppliers', file, name, '--json');
      assert.equal(JSON.parse(stdout)['rows'], 1, name);
    }
  });
});

describe('restwright export --as', () => {
  const SECRET = '0123456789abcdef0123456789abcdef';
  const NOTES = `
name: desk
auth: { issuers: [{ issuer: https://id.example.com, audience: desk, hs256_secret: ${SECRET} }] }
resources:
  notes:
    id: client
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } }, fields: { cost: { read: { scope: cost:read } } } }
    schema: { type: object, properties: { tenant: { type: string }, cost: { type: integer } } }
  lines:
    id: client
    parent: notes
    access: { read: { scope: lines:read } }
    schema: { type: object, properties: { text: { type: string } } }
`;
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (claims: object): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const all = {
      iss: 'https://id.example.com',
      aud: 'desk',
      sub: 'ann',
      client_id: 'c',
      jti: 'j',
      iat,
      exp: iat + 600,
      ...claims,
    };
    const input = `${part({ alg: 'HS256', typ: 'at+jwt' })}.${part(all)}`;
    return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
  };
  let desk: string;
  const exported = async (
    collection: string,
    as: string,
  ): Promise<{ ids: readonly string[]; stderr: string; code: number }> => {
    const terminal = recordedTerminal();
    const code = await run(
      ['export', 'desk.yaml', collection, '--database', 'desk.db', '--as', as].map((each) =>
        each.startsWith('desk.') ? path.join(desk, each) : each,
      ),
      terminal,
    );
    const lines = terminal
      .written()
      .stdout.split('\n')
      .filter((line) => line !== '');
    return { ids: lines.map((line) => JSON.parse(line).id), stderr: terminal.written().stderr, code };
  };
  before(async () => {
    desk = mkdtempSync(path.join(tmpdir(), 'export-as-'));
    await writeFile(path.join(desk, 'desk.yaml'), NOTES);
    const rows = {
      notes: '{"id":"a","tenant":"x"}\n{"id":"b","tenant":"y"}\n',
      lines: '{"id":"la","note_id":"a"}\n{"id":"lb","note_id":"b"}\n',
    };
    for (const [name, text] of Object.entries(rows)) {
      await writeFile(path.join(desk, `${name}.ndjson`), text);
      const args = [
        'import',
        path.join(desk, 'desk.yaml'),
        name,
        path.join(desk, `${name}.ndjson`),
        '--database',
        path.join(desk, 'desk.db'),
      ];
      assert.equal(await run(args, recordedTerminal()), 0);
    }
  });
  after(() => rmSync(desk, { recursive: true }));

  it('[AUTH-5a] writes the rows that the caller may read', async () => {
    assert.deepEqual((await exported('notes', token({ tenant: 'x' }))).ids, ['a']);
    assert.deepEqual((await exported('notes', token({}))).ids, []);
  });

  it('[REP-11b] writes no fields that the caller may not read', async () => {
    const csv = async (scope: string): Promise<string | undefined> => {
      const terminal = recordedTerminal();
      const files = [path.join(desk, 'desk.yaml'), 'notes', '--database', path.join(desk, 'desk.db')];
      const as = token({ tenant: 'x', scope });
      assert.equal(await run(['export', ...files, '--format', 'csv', '--as', as], terminal), 0);
      return terminal.written().stdout.split('\r\n')[0];
    };
    assert.equal(await csv('other'), 'id,tenant,created_at,updated_at,revision');
    assert.equal(await csv('cost:read'), 'id,tenant,cost,created_at,updated_at,revision');
  });

  it('[AUTH-5a] writes no rows below hidden ones', async () => {
    assert.deepEqual((await exported('lines', token({ tenant: 'y', scope: 'lines:read' }))).ids, ['lb']);
  });

  it('[AUTH-4a] says why a token cannot be used', async () => {
    const lacking = await exported('lines', token({ tenant: 'y' }));
    assert.equal(lacking.code, 1);
    assert.match(lacking.stderr, /--as: the token cannot be used: reading lines needs the scope lines:read\./);
    const expired = await exported('notes', token({ exp: 1 }));
    assert.match(expired.stderr, /the token cannot be used: it has expired\./);
  });
});
