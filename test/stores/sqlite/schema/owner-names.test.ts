import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createRandom } from '../../../../src/platform/random.ts';
import { LossySchemaChange } from '../../../../src/stores/sql/schema/schema-errors.ts';
import { openSqlite } from '../../../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { commit, create } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { driverName } from '../driver-under-test.ts';

const issuer = (name: string): string =>
  `{ name: ${name}, issuer: https://${name}.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }`;

const modelText = (issuers: readonly string[], owner = 'owner: owner_id'): string => `
name: desk
auth: { issuers: [${issuers.map(issuer).join(', ')}] }
resources:
  notes:
    schema: { type: object, properties: { owner_id: { type: string, readOnly: true } } }
    access: { read: authenticated, write: authenticated, ${owner} }
`;

function open(file: string, text: string, consent: 'none' | 'losses' = 'none'): Promise<Store> {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  const options = { path: file, driver: driverName, model, clock: systemClock, random: createRandom() };
  return openSqlite({ ...options, consent, migrate: true, observe: () => undefined });
}

async function withRow(file: string, text: string, owner: string | null = 'ann'): Promise<void> {
  const store = await open(file, text);
  await commit(store, create('notes', 'n', { owner_id: owner }));
  await store.close();
}

describe('how owner fields name callers', () => {
  it('[AUTH-9b] is fixed at the first start with an owner: another form is a lossy change', async (context) => {
    const file = path.join(temporaryDirectory(context), 'desk.db');
    await withRow(file, modelText(['a']));
    await assert.rejects(open(file, modelText(['a', 'b'])), (error) => {
      assert.ok(error instanceof LossySchemaChange);
      assert.match(
        error.message,
        /notes\.owner_id names the owners of 1 row as \{sub\}, and now callers are \{issuer\}:\{sub\}/,
      );
      return true;
    });
    // Unchanged by that, and changed with consent.
    await (await open(file, modelText(['a']))).close();
    await (await open(file, modelText(['a', 'b']), 'losses')).close();
    await (await open(file, modelText(['a', 'b']))).close();
    await assert.rejects(open(file, modelText(['a'])), LossySchemaChange);
  });

  it('[AUTH-9b] changes with the model while no row has an owner', async (context) => {
    const file = path.join(temporaryDirectory(context), 'desk.db');
    await withRow(file, modelText(['a']), null);
    await (await open(file, modelText(['a', 'b']))).close();
  });

  it('[AUTH-9b] is of no concern to a model without owners', async (context) => {
    const file = path.join(temporaryDirectory(context), 'desk.db');
    await withRow(file, modelText(['a'], 'rows: { read: true }'));
    await (await open(file, modelText(['a', 'b'], 'rows: { read: true }'))).close();
  });
});
