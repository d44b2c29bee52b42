import type { Json } from '../../conventions/json.ts';
import type { Model, Resource, ValueType } from '../../model/model.ts';
import type { Columns, Row } from '../../plan/plan.ts';
import { type TableColumn, columnsOf, linkFields, linkTable, typeAt } from './columns.ts';
import type { ComparableExpression, Decode, Dialect, Encode, SqlValue } from './dialect.ts';
import { SystemStatements } from './system-statements.ts';
import { type Compare, comparisonOf } from './value-order.ts';

/** Whether a row that was read has the columns of every row. The table's types guarantee the others. */
function isRow(read: Record<string, unknown>): read is Row {
  return typeof read['id'] === 'string' && typeof read['revision'] === 'number';
}

/** The columns that every plan reads. */
const EVERY_ROW = ['id', 'created_at', 'updated_at', 'revision'] as const;

function listOf(selections: readonly { readonly text: string }[]): string {
  return selections.map(({ text }) => text).join(', ');
}

/** The expression of a path, for comparisons. */
export interface Operand extends ComparableExpression {
  readonly type: ValueType;
  /** Compares two of its JSON values as the database does. */
  readonly compare: Compare;
  readonly nullable: boolean;
  /** Whether it is a column, not a member inside one. */
  readonly isColumn: boolean;
}

/** Membership in an array field: the encoding of the item, and the condition. */
interface Membership {
  readonly encode: Encode;
  /** @param deadlineCheck the deadline's `always` where the statement has a deadline: for a search that comes before the rows */
  condition(placeholder: string, deadlineCheck: string | null): string;
}

/** The table of a resource in one dialect, compiled once. */
export class Table {
  readonly resource: Resource;
  readonly dialect: Dialect;
  /** The quoted name. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly #selections: readonly { readonly name: string; readonly text: string }[];
  readonly #selection: string;
  readonly #decoders: readonly { readonly column: string; readonly decode: Decode }[];
  readonly #encoders: ReadonlyMap<string, Encode>;
  readonly #operands = new Map<string, Operand>();

  constructor(resource: Resource, dialect: Dialect) {
    this.resource = resource;
    this.dialect = dialect;
    this.name = dialect.quote(resource.name);
    this.columns = columnsOf(resource);
    this.#selections = this.columns.map(({ name, type }) => ({
      name,
      text: `${dialect.selection(this.column(name), type)} as ${dialect.quote(name)}`,
    }));
    this.#selection = listOf(this.#selections);
    this.#decoders = this.columns.flatMap(({ name, type }) => {
      const decode = dialect.decode(type);
      return decode === null ? [] : [{ column: name, decode }];
    });
    this.#encoders = new Map(this.columns.map(({ name, type }) => [name, dialect.encode(type)]));
  }

  /** A column qualified with the table's name, so that a table-valued function in the same query cannot capture it. */
  column(name: string): string {
    return `${this.name}.${this.dialect.quote(name)}`;
  }

  /**
   * The select list of a row's columns in order: all, or those of every row and the named ones (QRY-4).
   *
   * @throws {Error} where the resource has no such field
   */
  selection(columns?: Columns): string {
    if (columns === undefined) return this.#selection;
    for (const name of columns) typeAt(this.columns, [name]);
    const wanted = new Set<string>([...EVERY_ROW, ...columns]);
    return listOf(this.#selections.filter(({ name }) => wanted.has(name)));
  }

  /** The operand of a dotted path. @throws {Error} where the resource has no such property */
  operand(path: string): Operand {
    const known = this.#operands.get(path);
    if (known !== undefined) return known;
    const [name = '', ...members] = path.split('.');
    const type = typeAt(this.columns, [name, ...members]);
    const operand = members.length === 0 ? this.#own(name, type) : this.#member(name, members, type);
    this.#operands.set(path, operand);
    return operand;
  }

  #own(column: string, type: ValueType): Operand {
    const { dialect } = this;
    const comparable = { expression: this.column(column), encode: dialect.encode(type), locate: dialect.locate(type) };
    return { ...comparable, type, compare: comparisonOf(type), nullable: this.#nullable(column), isColumn: true };
  }

  /** Rows that are older than the declaration of a member do not have it, whatever the model declares now. */
  #member(column: string, members: readonly string[], type: ValueType): Operand {
    const comparable = this.dialect.member(this.column(column), members, type);
    return { ...comparable, type, compare: comparisonOf(type), nullable: true, isColumn: false };
  }

  /** Membership in an array. References are found in their link table, which has an index; other items in the row. */
  membership(path: string): Membership {
    const { expression, type } = this.operand(path);
    if (type.kind !== 'array') throw new Error(`The plan compares items of ${path}, which is not an array`);
    if (!linkFields(this.resource).some(({ field }) => field === path)) {
      return this.dialect.contains(expression, type.item.type);
    }
    const { quote } = this.dialect;
    const links = quote(linkTable(this.resource.name, path));
    return {
      encode: this.dialect.encode(type.item.type),
      condition: (placeholder, deadlineCheck) => {
        const checked = deadlineCheck === null ? '' : ` and ${deadlineCheck}`;
        const owners = `select ${quote('owner')} from ${links} where ${quote('target')} = ${placeholder}${checked}`;
        return `${this.column('id')} in (${owners})`;
      },
    };
  }

  /** A value as its column stores it. @throws {RangeError} where the column cannot hold it */
  encode(column: string, value: Json | undefined): SqlValue {
    if (value === null || value === undefined) return null;
    const encoded = this.#encoders.get(column)?.(value);
    if (encoded === undefined)
      throw new RangeError(`${this.resource.name}.${column} cannot store the value of the plan`);
    return encoded;
  }

  /** Decodes the row of a driver in place: its columns are in order already. */
  decode(read: Record<string, SqlValue>): Row {
    const row: Record<string, unknown> = read;
    for (const { column, decode } of this.#decoders) {
      const value = read[column];
      if (value !== null && value !== undefined) row[column] = decode(value);
    }
    if (!isRow(row)) throw new Error(`The database returned an invalid row of ${this.resource.name}`);
    return row;
  }

  #nullable(column: string): boolean {
    return this.columns.find(({ name }) => name === column)?.nullable ?? true;
  }
}

/** The tables of all resources of a model. */
export class Tables {
  readonly dialect: Dialect;
  /** The statements that read and write the system tables. */
  readonly system: SystemStatements;
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(model: Model, dialect: Dialect) {
    this.dialect = dialect;
    this.system = new SystemStatements(dialect);
    this.#tables = new Map([...model.resources.values()].map((each) => [each.name, new Table(each, dialect)]));
  }

  /** The table of a resource. @throws {Error} where the model has none of that name */
  of(resource: string): Table {
    const table = this.#tables.get(resource);
    if (table === undefined) throw new Error(`The plan names ${resource}, which the model does not declare`);
    return table;
  }

  [Symbol.iterator](): Iterator<Table> {
    return this.#tables.values();
  }
}
