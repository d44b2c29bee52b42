import type { Model } from '../../../model/model.ts';
import { showsTables } from '../../../model/table-source.ts';
import { brokenReference } from '../../sql/schema/migration.ts';
import { deriveSchema } from '../../sql/schema/schema.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { tableNames } from './introspection.ts';

const BROKEN = `select broken."table", broken.parent, broken.fkid
from json_each(?) as own cross join pragma_foreign_key_check(own.value) as broken limit 1`;

/**
 * Checks the references of own rows, once their tables are migrated. Those of another program may lead to no row.
 *
 * @throws {SchemaViolation}
 */
export function checkReferences(connection: SqliteConnection, model: Model): void {
  const names = showsTables(model) ? deriveSchema(model).map(({ name }) => name) : tableNames(connection);
  const [broken] = connection.all(BROKEN, [JSON.stringify(names)]);
  if (broken === undefined) return;
  const { table, parent, fkid } = broken;
  const columns = connection.all('select seq from pragma_foreign_key_list(?) where id = ?', [
    String(table),
    Number(fkid),
  ]);
  throw brokenReference(String(table), String(parent), columns.length > 1);
}
