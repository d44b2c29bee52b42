import assert from 'node:assert/strict';
import { mkdirSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const ROWS = ['NEW', 'OLD', 'OLD'].map((status, index) => ({
  id: `p${index}`,
  name: `n${index}`,
  status,
  size: index,
}));

function modelText(properties: string): string {
  return `name: shop
resources:
  products:
    id: client
    schema: { type: object, required: [name], properties: { ${properties} } }
`;
}

const BEFORE = 'name: { type: string }, status: { type: string }, size: { type: integer }';

/** A folder with `shop.yaml` and a database with three rows of {@link BEFORE}. */
class Folder {
  readonly model: string;
  readonly database: string;

  constructor(context: TestContext) {
    const folder = temporaryDirectory(context);
    this.model = path.join(folder, 'shop.yaml');
    this.database = path.join(folder, 'shop.db');
  }

  declare(properties: string): void {
    writeFileSync(this.model, modelText(properties));
  }

  async command(name: string, ...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const terminal = recordedTerminal();
    const code = await run([name, this.model, ...args, '--database', this.database], terminal);
    return { code, ...terminal.written() };
  }

  async fill(): Promise<void> {
    const rows = `${this.database}.json`;
    writeFileSync(rows, JSON.stringify(ROWS));
    this.declare(BEFORE);
    const { code, stderr } = await this.command('import', 'products', rows);
    assert.equal(code, 0, stderr);
  }

  async exported(): Promise<readonly Record<string, unknown>[]> {
    const { stdout } = await this.command('export', 'products', '--format', 'json');
    return JSON.parse(stdout);
  }
}

describe('restwright migrate', () => {
  it('[OPS-4d] says that a database matches its model', async (context) => {
    const folder = new Folder(context);
    await folder.fill();
    assert.deepEqual(await folder.command('migrate'), {
      code: 0,
      stdout: `${folder.database} matches ${folder.model}\n`,
      stderr: '',
    });
  });

  it('[OPS-4d] shows a new database without creating it, and creates it with --apply', async (context) => {
    const folder = new Folder(context);
    folder.declare(BEFORE);
    const shown = await folder.command('migrate');
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /\(does not exist yet\) to .*shop\.yaml:/);
    assert.match(shown.stdout, /create table "products" \(/);
    assert.equal(existsSync(folder.database), false);
    assert.equal((await folder.command('migrate', '--apply')).code, 0);
    assert.match((await folder.command('migrate')).stdout, /matches/);
  });

  it('[OPS-4d] applies a migration that keeps all data', async (context) => {
    const folder = new Folder(context);
    await folder.fill();
    folder.declare(
      `${BEFORE.replace('size: { type: integer }', 'size: { type: number }')}, code: { type: string, default: x }`,
    );
    const plan = JSON.parse((await folder.command('migrate', '--json')).stdout);
    const [{ purpose, cost, losses, broken_rules: broken }] = plan.steps;
    assert.deepEqual(
      { purpose, cost, losses, broken },
      {
        purpose: 'change products: add code; convert size',
        cost: { kind: 'rewrites', rows: 3 },
        losses: [],
        broken: [],
      },
    );
    assert.deepEqual([plan.needs, plan.applied, plan.steps.length], ['nothing', false, 1]);
    assert.equal(JSON.parse((await folder.command('migrate', '--apply', '--json')).stdout).applied, true);
    assert.deepEqual(
      (await folder.exported()).map(({ id, size, code }) => [id, size, code]),
      ROWS.map(({ id, size }) => [id, size, 'x']),
    );
  });

  it('[OPS-4d] shows what a migration loses and which rows break a rule, and needs consent to apply it', async (context) => {
    const folder = new Folder(context);
    await folder.fill();
    const before = await folder.exported();
    folder.declare('name: { type: string }, status: { type: string, enum: [NEW] }');
    const plan = await folder.command('migrate');
    assert.equal(plan.code, 0);
    assert.match(plan.stdout, /^ {3}loses data: products\.size is dropped with 3 values; declare it/m);
    assert.match(
      plan.stdout,
      /^ {3}breaks a rule: products\.status must be NEW: 2 rows break it \(p1, p2\); change them/m,
    );
    assert.match(plan.stdout, /^ {3}rewrites 3 rows$/m);
    assert.match(plan.stdout, /^1 {5}RESERVED {2}the database {2}writes, until it ends {2}rewrites 3 rows$/m);
    assert.match(
      plan.stdout,
      /Nothing was changed\. Back up the database.* --database \S+shop\.db --apply --allow-data-loss\n$/,
    );
    for (const command of [
      ['migrate', '--apply'],
      ['export', 'products'],
    ] as const) {
      const refused = await folder.command(command[0], ...command.slice(1));
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /- products\.size is dropped with 3 values/);
      assert.match(refused.stderr, /- products\.status must be NEW: 2 rows break it \(p1, p2\)/);
      assert.match(
        refused.stderr,
        /Nothing was changed\. restwright migrate \S+shop\.yaml --database \S+shop\.db shows the/,
      );
    }
    assert.equal(JSON.parse((await folder.command('migrate', '--json')).stdout).needs, 'consent');
    assert.equal((await folder.command('migrate', '--apply', '--allow-data-loss')).code, 0);
    const after = await folder.exported();
    assert.deepEqual(
      after.map(({ status }) => status),
      before.map(({ status }) => status),
    );
    assert.ok(after.every((row) => !('size' in row)));
    assert.match((await folder.command('migrate')).stdout, /matches/);
  });

  it('[OPS-4d] refuses a migration that rows prevent, with consent too', async (context) => {
    const folder = new Folder(context);
    await folder.fill();
    folder.declare(BEFORE.replace('status: { type: string }', 'status: { type: string, x-unique: true }'));
    const { stdout } = await folder.command('migrate');
    assert.match(stdout, /breaks a rule: products has unique status: 2 rows break it \(p1, p2\)/);
    assert.match(stdout, /The migration can be applied once you have changed the rows that break a rule\.\n$/);
    const refused = await folder.command('migrate', '--apply', '--allow-data-loss');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Stored rows prevent the migration to the model:\n- products has unique status/);
    folder.declare(BEFORE);
    assert.equal((await folder.exported()).length, ROWS.length);
  });

  it('[OPS-4d] names a file that is no database', async (context) => {
    const folder = new Folder(context);
    folder.declare(BEFORE);
    writeFileSync(folder.database, 'not a database, but long enough to be read as one'.repeat(100));
    const { code, stderr } = await folder.command('migrate');
    assert.equal(code, 1);
    assert.match(stderr, /shop\.db is not a valid SQLite database/);
  });

  it('[OPS-4d] names a folder in place of a file', async (context) => {
    const folder = new Folder(context);
    folder.declare(BEFORE);
    mkdirSync(folder.database);
    const { code, stderr } = await folder.command('migrate');
    assert.equal(code, 1);
    assert.match(stderr, /shop\.db: it is a directory; name a file\./);
  });
});
