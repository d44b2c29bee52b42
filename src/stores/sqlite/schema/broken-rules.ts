import type { Resource } from '../../../model/model.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import { ruleCheck } from '../../sql/schema/broken-rules.ts';
import type { FieldRules } from '../../sql/schema/field-rules.ts';
import type { SchemaStep } from '../../sql/schema/schema-errors.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect.ts';

const { quote } = sqlite;

/** The number of rows of a read. */
const BATCH = 1_000;

/**
 * Checks the rows of a resource against the rules that have changed since the database was last migrated.
 *
 * @param table the current table, with its current name
 * @param recorded the rules at the last migration
 * @returns a step without statements, where rows break a rule; else null
 */
export function ruleStep(
  connection: SqliteConnection,
  resource: Resource,
  table: CurrentTable,
  recorded: FieldRules,
): SchemaStep | null {
  const check = ruleCheck(sqlite, resource, table, recorded);
  if (check === null) return null;
  for (const rows of batches(connection, table.name, check.selection)) for (const row of rows) check.check(row);
  return check.step();
}

/** The rows of a table in batches, by `_rowid_`. */
function* batches(connection: SqliteConnection, table: string, selection: string): Generator<readonly SqlRow[]> {
  const list = `_rowid_ as ${quote('row')}, ${selection}`;
  const text = `select ${list} from ${quote(table)} where _rowid_ > ? order by _rowid_ limit ${BATCH}`;
  for (let last = 0; ; ) {
    const rows = connection.all(text, [last]);
    yield rows;
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)?.['row']);
  }
}
