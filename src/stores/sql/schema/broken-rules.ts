import type { Json } from '../../../conventions/json/json.ts';
import type { Field, Model, Resource } from '../../../model/model.ts';
import { memberAssertions } from '../../../model/values/assertion.ts';
import { describeReason } from '../../../model/values/messages.ts';
import { formatPath } from '../../../model/path.ts';
import { compileAssertion, type FindViolations, type ValueViolation } from '../../../model/values/validator.ts';
import type { Dialect, SqlRow } from '../dialect.ts';
import type { CurrentTable } from './alteration.ts';
import { changedFields, type FieldRules } from './field-rules.ts';
import { storageType } from './schema.ts';
import type { SchemaStep } from './schema-errors.ts';

/** The number of ids that a plan shows. */
const SHOWN = 3;
const FIX = 'change them first, or keep the rule as it was';

/** A field whose rule has changed, and the column that holds it. */
interface StoredField {
  readonly field: Field;
  readonly column: string;
}

/** A check of the rows of a table against the rules that have changed. */
interface RuleCheck {
  /** The select list of what is checked. */
  readonly selection: string;
  /** Checks a row. */
  check(row: SqlRow): void;
  /** A step without statements, where rows break a rule; else null. */
  step(): SchemaStep | null;
}

/** A table whose rows are checked. */
export interface CheckedTable {
  readonly table: CurrentTable;
  readonly check: RuleCheck;
}

/** Collects the checks of all tables that a model has rules for. @param recorded the rules at the last migration */
export function ruleChecks(
  dialect: Dialect,
  { resources }: Model,
  current: readonly CurrentTable[],
  recorded: FieldRules,
): readonly CheckedTable[] {
  const tables = new Map(current.map((table) => [table.name, table]));
  return [...resources.values()].flatMap((resource) => {
    const table = tables.get(resource.name) ?? tables.get(resource.was ?? '');
    const check = table === undefined ? null : ruleCheck(dialect, resource, table, recorded);
    return table === undefined || check === null ? [] : [{ table, check }];
  });
}

/**
 * Creates the check of a resource against the rules that have changed since the last migration: an `enum` without a
 * stored value, a shorter `maxLength`. A value of another storage type is lost or converted and not checked.
 *
 * @param table the current table, with its current name
 * @param recorded the rules at the last migration
 * @returns null where no rule has changed
 */
function ruleCheck(dialect: Dialect, resource: Resource, table: CurrentTable, recorded: FieldRules): RuleCheck | null {
  const columns = new Map(table.columns.map((column) => [column.name, column.storageType]));
  const fields = changedFields(resource, recorded).flatMap((field): readonly StoredField[] => {
    const column = columns.has(field.name) ? field.name : (field.was ?? '');
    return columns.get(column) === storageType(field.type) ? [{ field, column }] : [];
  });
  return fields.length === 0 ? null : new BrokenRuleSearch(dialect, resource, fields);
}

/** Collects the rows that break a rule, by field. */
class BrokenRuleSearch implements RuleCheck {
  #rows = 0;
  readonly #dialect: Dialect;
  readonly #resource: Resource;
  readonly #fields: readonly StoredField[];
  readonly #violationsOf: FindViolations;
  readonly #found = new Map<string, { readonly rule: string; rows: number; readonly ids: string[] }>();

  constructor(dialect: Dialect, resource: Resource, fields: readonly StoredField[]) {
    this.#dialect = dialect;
    this.#resource = resource;
    this.#fields = fields;
    const members = fields.map(({ field }) => ({ ...field, nullable: true }));
    this.#violationsOf = compileAssertion({ type: 'object', properties: memberAssertions(members, resource.schema) });
  }

  /** The id, and the fields by their index. */
  get selection(): string {
    const { quote } = this.#dialect;
    const members = this.#fields.map(
      ({ field, column }, index) => `${this.#dialect.selection(quote(column), field.type)} as ${quote(String(index))}`,
    );
    return [quote('id'), ...members].join(', ');
  }

  step(): SchemaStep | null {
    if (this.#found.size === 0) return null;
    const broken = [...this.#found.values()].map((found) => ({ ...found, fix: FIX, blocking: false }));
    return {
      purpose: `check ${broken.map(({ rule }) => rule.split(' ')[0]).join(', ')}`,
      statements: [],
      cost: { kind: 'reads', rows: this.#rows },
      lock: null,
      losses: [],
      broken,
    };
  }

  /** Null means unset, which the tables check. */
  check(row: SqlRow): void {
    this.#rows += 1;
    const values = Object.fromEntries(
      this.#fields.map(({ field }, index) => [field.name, this.#valueOf(row[index], field)]),
    );
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

  #valueOf(stored: SqlRow[string] | undefined, { type }: Field): Json {
    if (stored === undefined || stored === null) return null;
    const convert = this.#dialect.decode(type);
    if (convert !== null) return convert(stored);
    return typeof stored === 'number' || typeof stored === 'boolean' ? stored : String(stored);
  }
}
