import type { Json } from '../../../conventions/json/json.ts';
import type { Field, Resource, ValueType } from '../../../model/model.ts';
import { counted } from '../../../model/values/messages.ts';
import type { FieldValues } from '../../../plan/plan.ts';
import type { StoredRowChange } from '../../../versions/row-changes.ts';
import type { ConversionProblem, RowConversion } from '../../../versions/row-conversion.ts';
import { linkTable } from '../columns.ts';
import type { Dialect, SqlRow, SqlValue } from '../dialect.ts';
import type { CurrentTable } from '../schema/alteration.ts';
import { storageType } from '../schema/schema.ts';
import { type BrokenRule, type SchemaStep, UnusableDatabase } from '../schema/schema-errors.ts';

/** The number of ids that a plan shows. */
const SHOWN = 3;

/** Precedes a column until the table has no other of its name. No field has a space in its name. */
export const NEW = 'new ';
const OLD = 'old ';

/** A row of a table, and the values of its new columns. */
export interface ConvertedRow {
  /** The values of the primary key, in its order. */
  readonly key: readonly SqlValue[];
  readonly values: readonly SqlValue[];
  readonly problems: readonly ConversionProblem[];
}

/** The contract whose rows are converted. */
export interface StoredContract {
  /** Its version, for messages. */
  readonly version: string;
  /** Its changes up to the newest contract. */
  readonly changes: readonly StoredRowChange[];
  /** True for the model before, whose objects have other names (`x-was`). */
  readonly isFormer: boolean;
}

/** A conversion takes this much longer than reading and converting the rows alone (bench/conversion). */
const WRITE_FACTOR = 2;

/** Rows with the same problem. */
interface ProblemRows {
  readonly problem: ConversionProblem;
  rows: number;
  readonly ids: string[];
}

/** The conversion of the rows of one table from an older contract to the newest one (VER-5c). */
export class TableConversion {
  /** The table as it is. */
  readonly table: CurrentTable;
  readonly #dialect: Dialect;
  readonly #conversion: RowConversion;
  readonly #contract: string;
  readonly #isFormer: boolean;
  readonly #changes: readonly StoredRowChange[];
  /** The fields that are read, and that the table has. */
  readonly #read: readonly Field[];
  readonly #found = new Map<string, ProblemRows>();
  #rows = 0;
  #checked: number | null = null;

  /**
   * @throws {UnusableDatabase} where the table does not have the columns of the older contract
   */
  constructor(conversion: RowConversion, table: CurrentTable, dialect: Dialect, contract: StoredContract) {
    const { version, changes, isFormer } = contract;
    this.table = table;
    this.#isFormer = isFormer;
    this.#conversion = conversion;
    this.#dialect = dialect;
    this.#contract = version;
    this.#changes = changes.filter(
      ({ resource, effect }) => resource === conversion.stored.name && (effect === 'converts' || effect === 'drops'),
    );
    const columns = new Map(table.columns.map((column) => [column.name, column.storageType]));
    this.#read = conversion.from.filter(({ name }) => columns.has(name));
    for (const { name, type } of this.#read) {
      const [stored, declared] = [columns.get(name), storageType(type)];
      if (stored === declared) continue;
      throw new UnusableDatabase(
        `${table.name}.${name} is stored as ${stored}, and version ${version} of the model has it as ${declared}. Declare the type of that version in versions.`,
      );
    }
  }

  /** The resource in the older contract. */
  get older(): Resource {
    return this.#conversion.older;
  }

  /** The name of the resource in the newest contract. */
  get resource(): string {
    return this.#conversion.stored.name;
  }

  /** The names of the columns that hold converted values, before they get those of their fields. */
  get columns(): readonly { readonly name: string; readonly type: ValueType }[] {
    return this.#conversion.to.map(({ name, type }) => ({ name: NEW + name, type }));
  }

  /** The select list: the primary key, the id, then the fields that are read. Columns are named by their position. */
  get selection(): string {
    const dialect = this.#dialect;
    const { quote } = dialect;
    const { primaryKey } = this.table;
    const key = [...primaryKey, 'id'].map((name, at) => `${quote(name)} as ${quote(`key ${at}`)}`);
    const read = this.#read.map(
      ({ name, type }, at) => `${dialect.selection(quote(name), type)} as ${quote(String(at))}`,
    );
    return [...key, ...read].join(', ');
  }

  /** Converts a row that was read by `selection`, and counts its problems. */
  convert(row: SqlRow): ConvertedRow {
    this.#rows += 1;
    const before: Record<string, Json> = {};
    for (const { name, default: value, type } of this.#conversion.from)
      before[name] = value ?? (type.kind === 'array' ? [] : null);
    for (const [at, field] of this.#read.entries()) before[field.name] = this.#decode(row[String(at)] ?? null, field);
    const { values, problems } = this.#conversion.convert(before);
    const width = this.table.primaryKey.length;
    for (const problem of problems) this.#count(problem, String(row[`key ${width}`]));
    return {
      key: this.table.primaryKey.map((_, at) => row[`key ${at}`] ?? null),
      values: this.#conversion.to.map((field) => this.#encode(values, field)),
      problems,
    };
  }

  /** Counts a row that was converted before, and its problems. */
  note(problems: readonly ConversionProblem[], id: string): void {
    this.#rows += 1;
    for (const problem of problems) this.#count(problem, id);
  }

  /** Records the milliseconds in which all rows were read and converted, but not written. */
  measure(duration: number): void {
    this.#checked = duration;
  }

  /** The statements that add the new columns. */
  get before(): readonly string[] {
    const { quote, columnType } = this.#dialect;
    const links = this.#staleLinks().map((name) => `drop table ${quote(name)}`);
    const added = this.columns.map(
      ({ name, type }) => `alter table ${quote(this.table.name)} add column ${quote(name)} ${columnType(type)}`,
    );
    return [...links, ...added];
  }

  /** The statements that give the new columns the names of their fields, and others to those that have them. */
  get after(): readonly string[] {
    const { quote } = this.#dialect;
    const rename = (from: string, to: string): string =>
      `alter table ${quote(this.table.name)} rename column ${quote(from)} to ${quote(to)}`;
    return [
      ...this.#staleIndexes().map((name) => `drop index ${quote(name)}`),
      ...this.#replaced().map((name) => rename(name, OLD + name)),
      ...this.#conversion.to.map(({ name }) => rename(NEW + name, name)),
    ];
  }

  /** The table as it is once its rows are converted. The columns of the older contract are still there. */
  get converted(): CurrentTable {
    const replaced = new Set(this.#replaced());
    const stale = new Set(this.#staleIndexes());
    const columns = this.table.columns.map((column) =>
      replaced.has(column.name) ? { ...column, name: OLD + column.name } : column,
    );
    const added = this.#conversion.to.map(({ name, type }) => ({
      name,
      storageType: storageType(type),
      nullable: true,
      hasDefault: false,
    }));
    return {
      ...this.table,
      columns: [...columns, ...added],
      indexes: this.table.indexes.filter((name) => !stale.has(name)),
    };
  }

  /** The table without what is converted: the rest is checked against rules that have changed. */
  get unconverted(): CurrentTable {
    const gone = new Set([...this.#conversion.from, ...this.#conversion.to].map(({ name }) => name));
    return { ...this.table, columns: this.table.columns.filter(({ name }) => !gone.has(name)) };
  }

  /** Checks if the rows that a migration finds in a column say nothing: they are converted. */
  isConverted(column: string): boolean {
    const { from, to } = this.#conversion;
    return column.startsWith(OLD) || [...from, ...to].some(({ name }) => name === column);
  }

  /** The names of links tables whose arrays of references are converted. */
  isLinks(table: string): boolean {
    return this.#staleLinks().includes(table);
  }

  /** The step of the conversion, with the problems that were found. Each database has its own lock. */
  step(statements: readonly string[]): SchemaStep {
    const found = [...this.#found.values()];
    return {
      purpose: this.#describe(),
      statements,
      cost: { kind: 'rewrites', rows: this.#rows },
      lock: null,
      changes: this.#changes,
      ...(this.#checked === null ? {} : { duration: this.#checked * WRITE_FACTOR }),
      losses: found.flatMap((each) => (each.problem.kind === 'invalid' ? [] : [this.#describeLoss(each)])),
      broken: found.flatMap((each) => (each.problem.kind === 'invalid' ? [this.#describeRule(each)] : [])),
    };
  }

  #describe(): string {
    const { from, to } = this.#conversion;
    if (this.#isFormer)
      return `rename in rows of ${this.table.name}: ${this.#changes.map(({ what }) => what).join(', ')}`;
    const names = (fields: readonly Field[]): string => fields.map(({ name }) => name).join(', ');
    const made = to.length === 0 ? 'leave out' : from.length === 0 ? 'add' : `make ${names(to)} from`;
    const way = this.#conversion.isReturn === true ? 'back to' : 'from';
    return `convert rows of ${this.table.name} ${way} ${this.#contract}: ${made} ${names(from.length === 0 ? to : from)}`;
  }

  #describeLoss({ problem, rows, ids }: ProblemRows): string {
    const where = `${this.table.name}.${problem.field}: ${counted(rows, 'row')} (${nameRows(rows, ids)})`;
    if (this.#conversion.isReturn === true) {
      const cause = problem.kind === 'failed' ? `cannot be converted: ${problem.message}` : 'cannot hold';
      return problem.kind === 'failed'
        ? `${where} ${cause}; change the rows first`
        : `${where} ${rows === 1 ? 'has a value' : 'have values'} that ${this.#contract} ${cause}; change the rows first`;
    }
    if (this.#isFormer) return `${where} would be lost; declare it, or name it in x-was of the member that it became`;
    return problem.kind === 'failed'
      ? `${where} cannot be converted, and would get defaults: ${problem.message}; change the rows, or the functions of ${this.#contract}`
      : `${where} ${rows === 1 ? 'has a value' : 'have values'} that ${this.#contract} would not show any more; list ${rows === 1 ? 'it' : 'them'} in the changes of ${this.#contract}, or change the rows first`;
  }

  #describeRule({ problem, rows, ids }: ProblemRows): BrokenRule {
    const message = problem.kind === 'invalid' ? problem.message : '';
    const field = this.#conversion.stored.field.get(problem.field.split('.')[0] ?? '');
    const blocking = message === 'is required' && field?.nullable === false && field.name === problem.field;
    const fix =
      this.#conversion.isReturn === true || this.#isFormer
        ? 'change the rows first'
        : `map the values in the changes of ${this.#contract}, or change them first`;
    return { rule: `${this.resource}.${problem.field} ${message}`, rows, ids, fix, blocking };
  }

  #count(problem: ConversionProblem, id: string): void {
    const key =
      problem.kind === 'lost' ? `lost ${problem.field}` : `${problem.kind} ${problem.field} ${problem.message}`;
    const known = this.#found.get(key);
    if (known === undefined) {
      this.#found.set(key, { problem, rows: 1, ids: [id] });
      return;
    }
    known.rows += 1;
    if (known.ids.length < SHOWN) known.ids.push(id);
  }

  /** The columns of the older contract whose names fields of the newest one have. */
  #replaced(): readonly string[] {
    const known = new Set(this.table.columns.map(({ name }) => name));
    return this.#conversion.to.flatMap(({ name }) => (known.has(name) ? [name] : []));
  }

  /** The indexes of columns that are converted. Their names say which columns they have. */
  #staleIndexes(): readonly string[] {
    const from = new Set([...this.#conversion.from.map(({ name }) => name), ...this.#replaced()]);
    return this.table.indexes.filter((name) => {
      const keys = /^\S+ (?:unique )?\((?<keys>.*)\)$/.exec(name)?.groups?.['keys'] ?? '';
      return keys.split(', ').some((key) => from.has(key.split(/[.: ]/)[0] ?? key));
    });
  }

  #staleLinks(): readonly string[] {
    return this.#conversion.from.flatMap(({ name, reference, type }) =>
      reference !== null && type.kind === 'array' ? [linkTable(this.table.name, name)] : [],
    );
  }

  #decode(stored: SqlValue, { type }: Field): Json {
    if (stored === null) return null;
    const convert = this.#dialect.decode(type);
    if (convert !== null) return convert(stored);
    return typeof stored === 'number' || typeof stored === 'boolean' ? stored : String(stored);
  }

  /** A value that the column cannot hold is one that its schema does not allow: it is counted already. */
  #encode(values: FieldValues, { name, type }: Field): SqlValue {
    const value = values[name] ?? null;
    return value === null ? null : (this.#dialect.encode(type)(value) ?? null);
  }
}

function nameRows(rows: number, ids: readonly string[]): string {
  return (rows > ids.length ? [...ids, '...'] : ids).join(', ');
}
