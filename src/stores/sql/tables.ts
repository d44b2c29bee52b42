import type { Json } from '../../conventions/json/json.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import type { Model, Resource, SortKey, ValueType } from '../../model/model.ts';
import { isHidden, keyMembers } from '../../model/row-key.ts';
import type { JsonPlace } from '../../plan/condition.ts';
import type { Columns, Row } from '../../plan/plan.ts';
import { type ColumnForm, isRow, ownForm } from './column-form.ts';
import { addStored, type ExistingTable, type ExistingTables, omitDigest, splitKey } from './existing/existing-table.ts';
import { type Links, type Membership, type Operand, rowValue } from './operand.ts';
import { type AncestorContext, joinSelections, referenceSelections, type SelectedMember } from './ancestor-ids.ts';
import {
  type TableColumn,
  idType,
  listColumns,
  hasAnyLength,
  linkColumns,
  linkFields,
  linkTable,
  typeAt,
} from './columns.ts';
import type { Decode, DerivedColumn, Dialect, SqlRow, SqlValue } from './dialect.ts';
import { RecordForms } from './conversion/record-forms.ts';
import { SystemStatements } from './system-statements.ts';
import { compileComparison } from '../../plan/value-order.ts';

/** The columns that every plan reads. */
const EVERY_ROW = ['id', 'created_at', 'updated_at', 'revision'] as const;

/** The alias of a table of related rows in a condition, some relations away. No resource name has a space. */
function relatedAlias(relations: number): string {
  return relations === 1 ? 'related row' : `related row ${relations}`;
}

/** The parts from which tables are compiled. */
interface TableContext extends AncestorContext {
  /** That of own tables. */
  readonly dialect: Dialect;
  readonly existing: ExistingTables;
}

/** The table of a resource in one dialect, compiled once. */
export class Table {
  readonly resource: Resource;
  readonly dialect: Dialect;
  /** The quoted name, or the alias. */
  readonly name: string;
  /** The table as `from` names it, before an alias. */
  readonly rows: string;
  /** The table as `from` names it: its name, a name with an alias, or the query of a table of another program. */
  readonly source: string;
  /** The number of relations between its rows and those that a statement reads: 0 for a table under its own name. */
  readonly relations: number;
  readonly columns: readonly TableColumn[];
  readonly derived: readonly DerivedColumn[];
  /** The table of another program that it shows; null for an own table. */
  readonly existing: ExistingTable | null;
  /** The columns that identify a row, its own id first. */
  readonly key: readonly string[];
  /** The key as one expression: a column, or a row value. */
  readonly keyExpression: string;
  readonly #selections: readonly SelectedMember[];
  readonly #selection: string;
  readonly #decoders: readonly { readonly column: string; readonly decode: Decode }[];
  readonly #forms: ReadonlyMap<string, ColumnForm>;
  /** Names of the columns whose values can have any length. */
  readonly #sized: readonly string[];
  readonly #operands = new Map<string, Operand>();
  readonly #resources: Model['resources'];

  constructor(resource: Resource, context: TableContext, relations = 0) {
    this.resource = resource;
    this.existing = context.existing.get(resource.name) ?? null;
    const dialect = this.existing?.dialect ?? context.dialect;
    this.dialect = dialect;
    this.#resources = context.resources;
    const own = dialect.quote(resource.name);
    this.relations = relations;
    this.name = relations === 0 ? own : dialect.quote(relatedAlias(relations));
    const rows = this.existing?.rows ?? null;
    this.rows = rows ?? own;
    this.source = relations === 0 && rows === null ? own : `${this.rows} as ${this.name}`;
    const key = this.existing?.key.filter(({ name }) => name !== 'id') ?? [];
    this.columns = [...listColumns(resource), ...key];
    this.derived = dialect.derivedColumns(resource);
    this.key = this.existing?.key.map(({ name }) => name) ?? keyMembers(resource);
    this.keyExpression = rowValue(this.key.map((name) => this.column(name)));
    const form = (column: TableColumn): ColumnForm => this.existing?.forms.get(column.name) ?? ownForm(dialect, column);
    this.#forms = new Map(this.columns.map((column) => [column.name, form(column)]));
    const selections = this.columns.map(({ name, type }) => ({
      name,
      of: name,
      type,
      text: `${this.#form(name).select(this.column(name))} as ${dialect.quote(name)}`,
    }));
    this.#selections = [...selections, ...referenceSelections(resource, context, this)];
    this.#selection = joinSelections(omitDigest(this.existing, this.#selections));
    this.#decoders = this.#selections.flatMap(({ name: column, type }) => {
      const { decode } = this.#forms.get(column) ?? { decode: dialect.decode(type) };
      return decode === null ? [] : [{ column, decode }];
    });
    this.#sized = this.columns.filter(({ type }) => hasAnyLength(type)).map(({ name }) => name);
  }

  /** @throws {Error} where the resource has no such column */
  #form(column: string): ColumnForm {
    const form = this.#forms.get(column);
    if (form === undefined) throw new Error(`The plan names ${column}, which ${this.resource.name} does not have`);
    return form;
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
    const held = new Set(this.columns.filter(({ name }) => isHidden(name)).map(({ name }) => name));
    return joinSelections(this.#selections.filter(({ name, of }) => wanted.has(of) || held.has(name)));
  }

  /** The selected columns whose values can have any length. */
  sized(columns?: Columns): readonly string[] {
    if (columns === undefined) return this.#sized;
    return this.#sized.filter((name) => name === 'id' || isHidden(name) || columns.includes(name));
  }

  /**
   * The operand of a dotted path, or of a place in its JSON. There are any number of places: they are not stored.
   *
   * @throws {Error} where the resource has no such property
   */
  operand(path: string, inside?: JsonPlace): Operand {
    const known = inside === undefined ? this.#operands.get(path) : undefined;
    if (known !== undefined) return known;
    const [name = '', ...members] = path.split('.');
    if (inside !== undefined) return this.#inside(name, members, inside);
    const type = typeAt(this.columns, [name, ...members]);
    const operand = members.length === 0 ? this.#own(name, type) : this.#member(name, members, type);
    this.#operands.set(path, operand);
    return operand;
  }

  #own(column: string, type: ValueType): Operand {
    const { encode, locate, nullable } = this.#form(column);
    const expression = type.kind === 'array' ? this.#json(column) : this.column(column);
    return { expression, encode, locate, type, compare: compileComparison(type), nullable, isColumn: true };
  }

  /** Rows that are older than the declaration of a member do not have it, whatever the model declares now. */
  #member(column: string, members: readonly string[], type: ValueType): Operand {
    const comparable = this.dialect.member(this.#json(column), members, type);
    return { ...comparable, type, compare: compileComparison(type), nullable: true, isColumn: false };
  }

  #inside(column: string, members: readonly string[], inside: JsonPlace): Operand {
    const { type } = inside;
    const comparable = this.dialect.inside(this.#json(column), [...members, ...inside.members], type);
    return { ...comparable, type, compare: compileComparison(type), nullable: true, isColumn: false };
  }

  #json(column: string): string {
    return this.#form(column).json(this.column(column));
  }

  /** Membership in an array. References are found in their link table, which has an index; other items in the row. */
  membership(path: string): Membership {
    const { expression, type } = this.operand(path);
    if (type.kind !== 'array') throw new Error(`The plan compares items of ${path}, which is not an array`);
    const links = this.links(path);
    const own = this.#forms.get(path)?.membership?.(this.column(path));
    if (links === null) return own ?? this.dialect.contains(expression, type.item.type);
    return {
      encode: this.dialect.encode(type.item.type),
      condition: (placeholder, deadlineCheck) => {
        const checked = deadlineCheck === null ? '' : ` and ${deadlineCheck}`;
        const owners = `select ${links.owner.join(', ')} from ${links.name} where ${links.target[0]} = ${placeholder}${checked}`;
        return `${this.keyExpression} in (${owners})`;
      },
    };
  }

  /** The link table of an array of references, and the columns of both keys; null for another field. */
  links(path: string): Links | null {
    const target = this.#resources.get(linkFields(this.resource).find(({ field }) => field === path)?.target ?? '');
    if (target === undefined) return null;
    const { quote } = this.dialect;
    return {
      name: quote(linkTable(this.resource.name, path)),
      owner: linkColumns('owner', this.key.length).map(quote),
      target: linkColumns('target', keyMembers(target).length).map(quote),
    };
  }

  /** An expression of a bound value with the type of a column. */
  typed(column: string, expression: string): string {
    return this.#forms.get(column)?.typed?.(expression) ?? expression;
  }

  /** A value as its column stores it; undefined where the column cannot hold it. */
  tryEncode(column: string, value: Json | undefined): SqlValue | undefined {
    if (value === null || value === undefined) return null;
    return this.#forms.get(column)?.encode(value);
  }

  /** A value as its column stores it. @throws {RangeError} where the column cannot hold it */
  encode(column: string, value: Json | undefined): SqlValue {
    const encoded = this.tryEncode(column, value);
    if (encoded === undefined)
      throw new RangeError(`${this.resource.name}.${column} cannot store the value of the plan`);
    return encoded;
  }

  /** The id that a column of a key holds, as it stores it: null, which no row has, for one that it cannot hold. */
  encodeId(column: string, id: string): SqlValue {
    return this.#forms.get(column)?.encode(id) ?? null;
  }

  /** Ids in the order of the key, or the first of them, as their columns store them. */
  encodeKey(ids: readonly string[]): readonly SqlValue[] {
    return splitKey(this, ids).map((id, at) => (id === null ? null : this.encodeId(this.key[at] ?? '', id)));
  }

  /** The types of the columns of the key. */
  get keyTypes(): readonly ValueType[] {
    return this.key.map((name) => typeAt(this.columns, [name]));
  }

  /** The id of a row that was read. */
  decodeId(value: SqlValue = null): string {
    const decoded = this.dialect.decode(idType(this.resource))?.(value) ?? value;
    if (typeof decoded !== 'string') throw new Error(`The database returned an invalid id of ${this.resource.name}`);
    return decoded;
  }

  /** Decodes the row of a driver in place: its columns are in order already. @param order that of the rows */
  decode(read: SqlRow, order: readonly SortKey[] = []): Row {
    const row: Record<string, unknown> = read;
    if (this.existing !== null) addStored(this.existing, read, order);
    for (const { column, decode } of this.#decoders) {
      const value = read[column];
      if (value !== null && value !== undefined) row[column] = decode(value);
    }
    if (!isRow(row)) throw new Error(`The database returned an invalid row of ${this.resource.name}`);
    return row;
  }
}

const NONE: ExistingTables = new Map();

/** The tables of all resources of a model. */
export class Tables {
  readonly dialect: Dialect;
  readonly context: TableContext;
  /** The statements that read and write the system tables. */
  readonly system: SystemStatements;
  readonly recordForms: RecordForms;
  readonly #tables: ReadonlyMap<string, Table>;
  /** By their distance, and by their resource. */
  readonly #related: ((resource: Resource) => Table)[] = [];

  /** @param existing tables of another program */
  constructor(model: Model, dialect: Dialect, recordForms: RecordForms | null = null, existing: ExistingTables = NONE) {
    this.dialect = dialect;
    this.recordForms = recordForms ?? new RecordForms(model, null);
    this.system = new SystemStatements(dialect);
    this.context = { resources: model.resources, dialect, existing };
    this.#tables = new Map([...model.resources.values()].map((each) => [each.name, new Table(each, this.context)]));
  }

  /** The table of a resource. @throws {Error} where the model has none of that name */
  of(resource: string): Table {
    const table = this.#tables.get(resource);
    if (table === undefined) throw new Error(`The plan names ${resource}, which the model does not declare`);
    return table;
  }

  /** The table of a resource under an alias, for conditions on the rows that are related to those of a table. */
  related(resource: string, to: Table): Table {
    const relations = to.relations + 1;
    this.#related[relations] ??= weakMemoize((each) => new Table(each, this.context, relations));
    return this.#related[relations](this.of(resource).resource);
  }

  [Symbol.iterator](): Iterator<Table> {
    return this.#tables.values();
  }
}
