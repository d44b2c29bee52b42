import type { Json } from '../../../conventions/json.ts';
import type { Field, Resource } from '../../../model/model.ts';
import { memberAssertions } from '../../../model/values/assertion.ts';
import { describeReason } from '../../../model/values/messages.ts';
import { formatPath } from '../../../model/values/path.ts';
import { compileAssertion, type FindViolations, type ValueViolation } from '../../../model/values/validator.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { changedFields, type FieldRules } from '../../sql/schema/field-rules.ts';
import { storageType } from '../../sql/schema/schema.ts';
import type { BrokenRule, SchemaStep } from '../../sql/schema/schema-errors.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect.ts';

const { quote } = sqlite;

/** The number of rows of a read. */
const BATCH = 1_000;
/** The number of ids that a plan shows. */
const SHOWN = 3;
const FIX = 'change them first, or keep the rule as it was';

/** A field whose rule has changed, and the column that holds it. */
interface StoredField {
  readonly field: Field;
  readonly column: string;
}

/**
 * Checks the rows of a resource against the rules that have changed since the database was last migrated: an `enum` without a value that rows have, a
 * shorter `maxLength`. A value of another storage type is lost or converted and not checked.
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
  const columns = new Map(table.columns.map((column) => [column.name, column.storageType]));
  const fields = changedFields(resource, recorded).flatMap((field): readonly StoredField[] => {
    const column = columns.has(field.name) ? field.name : (field.was ?? '');
    return columns.get(column) === storageType(field.type) ? [{ field, column }] : [];
  });
  if (fields.length === 0) return null;
  const search = new BrokenRuleSearch(resource, fields);
  for (const rows of batches(connection, table.name, fields)) for (const row of rows) search.check(row);
  if (search.broken.length === 0) return null;
  return {
    purpose: `check ${search.broken.map(({ rule }) => rule.split(' ')[0]).join(', ')}`,
    statements: [],
    cost: { kind: 'reads', rows: search.rows },
    losses: [],
    broken: search.broken,
  };
}

/** The rows of a table in batches, by `_rowid_`, with the fields by their index. */
function* batches(
  connection: SqliteConnection,
  table: string,
  fields: readonly StoredField[],
): Generator<readonly SqlRow[]> {
  const members = fields.map(
    ({ field, column }, index) => `${sqlite.selection(quote(column), field.type)} as ${quote(String(index))}`,
  );
  const list = [`_rowid_ as ${quote('row')}`, quote('id'), ...members].join(', ');
  const text = `select ${list} from ${quote(table)} where _rowid_ > ? order by _rowid_ limit ${BATCH}`;
  for (let last = 0; ; ) {
    const rows = connection.all(text, [last]);
    yield rows;
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)?.['row']);
  }
}

/** Collects the rows that break a rule, by field. */
class BrokenRuleSearch {
  rows = 0;
  readonly #resource: Resource;
  readonly #fields: readonly StoredField[];
  readonly #violationsOf: FindViolations;
  readonly #found = new Map<string, { readonly rule: string; rows: number; readonly ids: string[] }>();

  constructor(resource: Resource, fields: readonly StoredField[]) {
    this.#resource = resource;
    this.#fields = fields;
    const members = fields.map(({ field }) => ({ ...field, nullable: true }));
    this.#violationsOf = compileAssertion({ type: 'object', properties: memberAssertions(members, resource.schema) });
  }

  get broken(): readonly BrokenRule[] {
    return [...this.#found.values()].map((found) => ({ ...found, fix: FIX, blocking: false }));
  }

  /** Null means unset, which the tables check. */
  check(row: SqlRow): void {
    this.rows += 1;
    const values = Object.fromEntries(this.#fields.map(({ field }, index) => [field.name, valueOf(row[index], field)]));
    const violations = new Map(this.#violationsOf(values).map((violation) => [violation.path[0], violation]));
    for (const [name, violation] of violations) this.#add(String(name), violation, String(row['id']));
  }

  #add(name: string, { path, reason, value }: ValueViolation, id: string): void {
    const known = this.#found.get(name);
    if (known !== undefined) {
      known.rows += 1;
      if (known.ids.length < SHOWN) known.ids.push(id);
      return;
    }
    const message = reason.kind === 'unknown' ? 'is no longer declared' : describeReason(reason, value);
    const members = path.filter((step) => typeof step === 'string');
    const rule = `${formatPath([this.#resource.name, ...members])} ${message}`;
    this.#found.set(name, { rule, rows: 1, ids: [id] });
  }
}

function valueOf(stored: SqlRow[string] | undefined, { type }: Field): Json {
  if (stored === undefined || stored === null) return null;
  const convert = sqlite.decode(type);
  if (convert !== null) return convert(stored);
  return typeof stored === 'number' || typeof stored === 'boolean' ? stored : String(stored);
}
