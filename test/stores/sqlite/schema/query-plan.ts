import type { TestContext } from 'node:test';
import type { Model } from '../../../../src/model/model.ts';
import type { Statement } from '../../../../src/stores/sql/dialect.ts';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { defineFunctions } from '../../../../src/stores/sqlite/connection/sql-functions.ts';
import { DEADLINE_FUNCTION } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { prepareDatabase } from '../../../../src/stores/sqlite/schema/prepare-database.ts';
import { driver } from '../driver-under-test.ts';

/** The query plan of a statement on an empty database of a model, step by step. */
export function queryPlan(context: TestContext, { text, values }: Statement, of: Model): readonly string[] {
  const connection = SqliteConnection.writer(':memory:', driver);
  context.after(() => connection.close());
  defineFunctions(connection);
  connection.defineFunction(DEADLINE_FUNCTION, false, () => 1);
  prepareDatabase(connection, of, { random: { hex: (bytes) => '00'.repeat(bytes) }, consent: 'none' });
  return connection.all(`explain query plan ${text}`, values).map(({ detail }) => String(detail));
}
