import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { SHOP, SHOP_MODEL, sourceFile } from '../../stores/existing/source-file.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

/** The paths of a model of tables that exist, and of their file. */
function writeModel(context: TestContext): { readonly model: string; readonly database: string } {
  const database = sourceFile(context, SHOP);
  const model = path.join(path.dirname(database), 'shop.yaml');
  writeFileSync(model, SHOP_MODEL);
  return { model, database };
}

async function command(...words: readonly string[]): Promise<readonly [code: number, stdout: string, stderr: string]> {
  const terminal = recordedTerminal();
  const code = await run([...words], terminal);
  const { stdout, stderr } = terminal.written();
  return [code, stdout, stderr];
}

describe('commands with a model of tables that exist', () => {
  it('export their rows', async (context) => {
    const { model, database } = writeModel(context);
    const [code, stdout] = await command('export', model, 'customers', '-', '--database', database);
    assert.equal(code, 0);
    assert.match(stdout, /^\{"id":"1","name":"Ann","revision":\d+\}\n\{"id":"2","name":"bob","revision":\d+\}\n$/);
  });

  it('refuse to import, copy and migrate, and leave the file as it is', async (context) => {
    const { model, database } = writeModel(context);
    const before = readFileSync(database);
    const rows = path.join(path.dirname(model), 'rows.csv');
    writeFileSync(rows, 'name\nCid\n');
    for (const words of [
      ['import', model, 'customers', rows, '--database', database],
      ['copy', model, '--from', database, '--to', `${database}.copy`],
      ['migrate', model, '--database', database, '--apply'],
    ]) {
      const [code, , stderr] = await command(...words);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /the model shows tables that exist, which it only reads/);
    }
    assert.deepEqual(readFileSync(database), before);
  });

  it('refuse to serve them without --read-only', async (context) => {
    const { model, database } = writeModel(context);
    const [code, , stderr] = await command('serve', model, '--database', database, '--port', '0');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /Pass --read-only/);
  });
});
