import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { run } from '../../../src/cli/program.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { selectKind } from '../../../src/stores/databases/databases.ts';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { startPostgres } from '../../postgres-server.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

let opened = 0;
const STORES = [
  ['SQLite', (folder: string): string => path.join(folder, 'store.db')],
  ['PostgreSQL', (): string => server.url(schemas.name(`migrated_rows_${(opened += 1)}`))],
] as const;

const OLD = `
name: store
version: 1.4.0
resources:
  products:
    id: client
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        fax: { type: string }
        pin: { type: string, writeOnly: true }
        status: { type: string, enum: [draft, live, sold], default: draft }
        city: { type: string }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { shelf: { type: integer } } }
`;

/** The model of 2.0.0. @param changes of 1.4.0 in addition */
function writeNewest(changes = ''): string {
  return `
name: store
version: 2.0.0
default_version: 1
resources:
  products:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        currency: { type: string, default: EUR }
        pin: { type: string, writeOnly: true }
        status: { type: string, enum: [DRAFT, ACTIVE, SOLD], default: DRAFT }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } }
versions:
  1.4.0:
    changes:
      - { resource: products, rename: { title: name } }
      - { resource: products, without: [currency], fill: { currency: USD } }
      - { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } }
      - { resource: products, move: { city: place.city } }
      - { resource: products, with: { fax: { schema: { type: string } } } }
${changes}`;
}

const LAMP = { id: 'a', title: 'Lamp', status: 'live', city: 'Oslo', place: { shelf: 1 }, tags: ['x'] };
/** Five rows; the last four have a fax number, which 2.0.0 does not have. */
const ROWS = [LAMP, ...['b', 'c', 'd', 'e'].map((id) => ({ id, title: 'Desk', fax: `1${id}`, pin: 'secret' }))];

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A database with rows of 1.4.0, and the model of 2.0.0 for it. */
class Migrated {
  readonly folder: string;
  readonly database: string;

  constructor(context: TestContext, databaseOf: (folder: string) => string) {
    this.folder = temporaryDirectory(context);
    this.database = databaseOf(this.folder);
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  async run(command: string, model: string, ...args: readonly string[]): Promise<Printed> {
    const terminal = recordedTerminal();
    const code = await run([command, this.file(model), ...args, '--database', this.database], terminal);
    return { code, ...terminal.written() };
  }

  migrate(...args: readonly string[]): Promise<Printed> {
    return this.run('migrate', 'new.yaml', ...args);
  }

  async create(rows: readonly object[], newest = writeNewest()): Promise<void> {
    writeFileSync(this.file('old.yaml'), OLD);
    writeFileSync(this.file('new.yaml'), newest);
    writeFileSync(this.file('rows.json'), JSON.stringify(rows));
    const { code, stderr } = await this.run('import', 'old.yaml', 'products', this.file('rows.json'));
    assert.equal(code, 0, stderr);
  }
}

for (const [store, databaseOf] of STORES) {
  describe(`restwright migrate of stored rows, on ${store}`, () => {
    it('[OPS-4d] [VER-5c] says for each step which changes of versions it makes', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      await migrated.create([LAMP]);
      const { stdout, code } = await migrated.migrate('--dry-run', '--json');
      assert.equal(code, 0);
      const plan = JSON.parse(stdout);
      const made = plan.steps.flatMap(({ purpose, changes }: { purpose: string; changes: { what: string }[] }) =>
        changes.map(({ what }) => `${purpose.split(' ', 1)[0]} ${what}`),
      );
      assert.deepEqual(made.toSorted(), [
        'change currency',
        'change currency: USD in these rows',
        'convert city to place.city',
        'convert fax',
        'convert values of status (draft to DRAFT, live to ACTIVE, sold to SOLD)',
        'rename title to name',
      ]);
      const [{ changes, loses_data: loses, seconds }] = plan.steps;
      assert.deepEqual(
        [loses, typeof seconds, plan.needs, plan.exported, plan.applied],
        [false, 'number', 'nothing', null, false],
      );
      assert.deepEqual(
        changes.find(({ change }: { change: string }) => change === 'move'),
        {
          resource: 'products',
          version: '1.4.0',
          change: 'move',
          effect: 'converts',
          from: ['city'],
          to: ['place.city'],
          what: 'city to place.city',
          consent: null,
          reversible: true,
        },
      );
      const text = (await migrated.migrate()).stdout;
      assert.match(text, /^ {3}- moves city to place\.city$/m);
      assert.match(text, /^ {3}rewrites 1 row, about \d+ s$/m);
      assert.match(text, /^ {3}- renames title to name$/m);
    });

    it('[OPS-4d] has the plan in Markdown, for a review', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      await migrated.create(ROWS);
      const { stdout } = await migrated.migrate('--markdown');
      assert.match(
        stdout,
        /^## Migration of .*\n\n\*\*It needs consent\*\* \(`--allow-data-loss`\): see the steps\. Conv/,
      );
      assert.match(stdout, /^### 1\. convert rows of products from 1\.4\.0/m);
      assert.match(stdout, /^- maps values of status \(draft to DRAFT, live to ACTIVE, sold to SOLD\)$/m);
      assert.match(stdout, /^- \*\*loses data:\*\* products\.fax: 4 rows \(b, c, d, \.\.\.\) have values/m);
      assert.match(stdout, /^```sql\nalter table "products" /m);
      const matches = await migrated.run('migrate', 'old.yaml', '--markdown');
      assert.match(matches.stdout, /\n\nThe database matches the model\.\n$/);
    });

    it('[OPS-4d] estimates the time from that of reading and converting the rows', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      await migrated.create(ROWS);
      const { model } = loadModel({ file: 'new.yaml', text: writeNewest() });
      let time = 0;
      const now = (): number => (time += 2_000);
      const { database } = migrated;
      const [step] = await selectKind(database).plan({ database }, { model, phase: null, now });
      assert.equal(step?.duration, 4_000);
    });

    it('[OPS-4d] exports every row that loses a value, as the older contract shows it, before it changes anything', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      await migrated.create(ROWS);
      const file = migrated.file('lost.ndjson');
      const planned = await migrated.migrate('--export', file, '--json');
      assert.deepEqual(JSON.parse(planned.stdout).exported, { file, rows: 4 });
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      const rows = lines.map((line) => JSON.parse(line));
      assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set(['b', 'c', 'd', 'e']));
      const { collection, row, problems } = rows.find(({ id }) => id === 'b');
      const { created_at: created, updated_at: updated, revision, ...fields } = row;
      assert.deepEqual(fields, {
        id: 'b',
        title: 'Desk',
        fax: '1b',
        status: 'draft',
        city: null,
        tags: [],
        place: null,
      });
      assert.deepEqual(
        [typeof created, typeof updated, typeof revision, collection],
        ['string', 'string', 'number', 'products'],
      );
      assert.deepEqual(problems, [{ field: 'fax', problem: 'lost', message: 'would be shown as another value' }]);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(existsSync(`${file}.partial`), false);
      const again = await migrated.migrate('--export', file);
      assert.deepEqual(
        [again.code, again.stderr],
        [2, `error: --export: ${file} already exists; name another file.\n`],
      );
      assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 4);
      const applied = migrated.file('applied.ndjson');
      const { code, stdout } = await migrated.migrate('--export', applied, '--apply', '--allow-data-loss', '--json');
      assert.deepEqual([code, JSON.parse(stdout).exported.rows], [0, 4]);
      assert.equal(readFileSync(applied, 'utf8').trim().split('\n').length, 4);
      assert.match((await migrated.migrate()).stdout, /matches/);
    });

    it('[OPS-4d] exports rows whose values the newest contract does not allow, and leaves no file where it fails', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      const unmapped = writeNewest().replace(', sold: SOLD }', ' }').replace('ACTIVE, SOLD]', 'ACTIVE]');
      await migrated.create([LAMP, { ...LAMP, id: 'b', status: 'sold' }], unmapped);
      const file = migrated.file('invalid.ndjson');
      assert.match((await migrated.migrate('--export', file)).stdout, /invalid\.ndjson has 1 row that cannot be/);
      const { id, row, problems } = JSON.parse(readFileSync(file, 'utf8'));
      assert.deepEqual([id, row.status, row.city], ['b', 'sold', 'Oslo']);
      assert.deepEqual(problems, [{ field: 'status', problem: 'invalid', message: 'must be one of DRAFT, ACTIVE' }]);
      const nowhere = migrated.file('none/invalid.ndjson');
      const failed = await migrated.migrate('--export', nowhere, '--apply', '--allow-data-loss');
      assert.deepEqual([failed.code, existsSync(nowhere)], [1, false]);
      assert.match(failed.stderr, /^error: --export: cannot write .*none\/invalid\.ndjson: no such file\.\n$/);
      assert.equal((await migrated.run('migrate', 'old.yaml')).stdout.endsWith('old.yaml\n'), true);
    });

    it('[OPS-4d] shows the plan and changes nothing with --apply where consent is missing', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      await migrated.create(ROWS);
      const refused = await migrated.migrate('--apply');
      assert.equal(refused.code, 1);
      assert.match(refused.stdout, /^Migration of [^]* loses data: products\.fax: 4 rows [^]*Nothing was changed\./);
      assert.match(refused.stderr, /^- products\.fax: 4 rows \(b, c, d, \.\.\.\)/m);
      assert.equal((await migrated.run('migrate', 'old.yaml')).stdout.endsWith('old.yaml\n'), true);
      const applied = await migrated.migrate('--apply', '--allow-data-loss');
      assert.equal(applied.code, 0, applied.stderr);
      assert.match(applied.stdout, /^Migrated [^]* {3}- maps values of status [^]*The database matches the model\.\n$/);
    });

    it('[OPS-4d] converts each row once with --apply', async (context) => {
      const migrated = new Migrated(context, databaseOf);
      await migrated.create([LAMP, { ...LAMP, id: 'b' }]);
      const [counter, main] = [migrated.file('calls.txt'), path.resolve(import.meta.dirname, '../../../src/index.ts')];
      const document = writeNewest().replace(
        '- { resource: products, rename: { title: name } }',
        '- { resource: products }',
      );
      const model = migrated.file('new.ts');
      const converter = `{ title: { schema: { type: 'string' }, to: 'name', up: (title) => { appendFileSync(${JSON.stringify(counter)}, '.'); return title; }, down: (name) => name } }`;
      writeFileSync(
        model,
        `import { appendFileSync } from 'node:fs';
import { defineModel } from ${JSON.stringify(pathToFileURL(main).href)};
import { parse } from ${JSON.stringify(import.meta.resolve('yaml'))};
const document = parse(${JSON.stringify(document)});
document.versions['1.4.0'].changes[0].type = ${converter};
export default defineModel(document);
`,
      );
      const { code, stderr } = await migrated.run('migrate', 'new.ts', '--apply');
      assert.equal(code, 0, stderr);
      assert.equal(readFileSync(counter, 'utf8'), '..');
    });
  });
}

describe('options of restwright migrate', () => {
  it('[OPS-4d] --json and --markdown, and --apply and --dry-run, exclude each other', async () => {
    for (const [one, other] of [
      ['--json', '--markdown'],
      ['--apply', '--dry-run'],
    ] as const) {
      const terminal = recordedTerminal();
      assert.equal(await run(['migrate', 'none.yaml', one, other], terminal), 2);
      assert.match(terminal.written().stderr, new RegExp(`^error: ${one} and ${other} cannot be combined`));
    }
  });
});
