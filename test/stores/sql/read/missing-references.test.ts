import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVERYTHING, type VisibleReference } from '../../../../src/plan/plan.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import type { SqlRow, Statement } from '../../../../src/stores/sql/dialect.ts';
import { SqlRowReader } from '../../../../src/stores/sql/read/row-reader.ts';
import type { SqlClient } from '../../../../src/stores/sql/sql-client.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { violationProbes } from '../../../../src/stores/sql/write/refusals.ts';
import { linkStatements } from '../../../../src/stores/sql/write/write-statements.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { createProduct } from '../../../../store-suite/sample-writes.ts';

const reference = (id: string, resource = 'suppliers'): VisibleReference => ({
  resource,
  id,
  within: [],
  visible: EVERYTHING,
});
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `r${index}`);
const notExpected = (): never => assert.fail('not expected');

/** A client of an empty database, which records the statements that it runs. */
function recordingClient(answer: (statement: Statement) => readonly SqlRow[]): {
  readonly client: SqlClient;
  readonly run: Statement[];
} {
  const run: Statement[] = [];
  const all = (statement: Statement): readonly SqlRow[] => {
    run.push(statement);
    return answer(statement);
  };
  const client = { all, get: (one: Statement) => all(one)[0] ?? null, batch: notExpected, execute: notExpected };
  return { client, run };
}

for (const [name, dialect] of [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const) {
  const tables = new Tables(sampleModel(), dialect);

  describe(`the references of a body on ${name}`, () => {
    const counts = async (references: readonly VisibleReference[]): Promise<number> => {
      const { client, run } = recordingClient(() => []);
      await new SqlRowReader(client, tables, { now: () => 0 }).missingReferences(references);
      assert.equal(new Set(run.map(({ text }) => text)).size <= 2, true, 'the text depends on the number');
      return run.length;
    };

    it('[MET-10] are one statement for each resource and each block of distinct ids', async () => {
      assert.equal(await counts([reference('a')]), 1);
      assert.equal(await counts(many(500).map((id) => reference(id))), 1);
      assert.equal(await counts(Array(5000).fill(reference('a'))), 1);
      assert.equal(await counts(many(9900).map((id) => reference(id))), Math.ceil(9900 / 512));
      assert.equal(await counts(many(500).map((id, index) => reference(id, index % 2 ? 'products' : 'suppliers'))), 2);
    });

    it('let other requests run between two blocks', async () => {
      const order: string[] = [];
      const { client } = recordingClient(() => {
        setImmediate(() => order.push('other'));
        order.push('block');
        return [];
      });
      const references = many(1500).map((id) => reference(id));
      await new SqlRowReader(client, tables, { now: () => 0 }).missingReferences(references);
      assert.deepEqual(order.slice(0, 4), ['block', 'other', 'block', 'other']);
    });

    it('are linked by one statement, and found again by one for each block if the database refuses them', () => {
      const plan = createProduct('new', { related_ids: [...many(1500), ...many(1500)] });
      assert.equal(linkStatements(tables, plan).length, 1);
      assert.equal(violationProbes(tables, plan).references.length, Math.ceil(1500 / 512));
    });
  });
}
