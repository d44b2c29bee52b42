import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createApi } from '../../../../src/api.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { runs } from '../../../extent.ts';
import { manyTables } from '../../many-tables.ts';
import { openSample } from '../open-sample.ts';

/** The statements of a start on a database that an earlier start created. */
async function statementsOfSecondStart(context: TestContext, tables: number): Promise<number> {
  const model = manyTables(tables);
  const file = path.join(temporaryDirectory(context), 'large.db');
  await (await openSample({ path: file }, model)).close();
  let statements = 0;
  const store = await openSample({ path: file, writer: { trace: () => (statements += 1) } }, model);
  await createApi({ model, store, clock: { now: () => 1 } });
  await store.close();
  return statements;
}

describe('a start on SQLite', () => {
  // A start with 205 tables takes three seconds.
  const hundreds = runs(1, 2);

  it('runs as many statements for 80 tables of rows as for 2, and one more for each further hundred', async (context) => {
    const few = await statementsOfSecondStart(context, 2);
    assert.equal(await statementsOfSecondStart(context, 80), few);
    assert.equal(await statementsOfSecondStart(context, hundreds * 100 + 5), few + hundreds);
  });
});
