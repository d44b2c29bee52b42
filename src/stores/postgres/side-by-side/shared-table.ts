import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../conventions/json/json.ts';
import type { Field, Resource, ValueType } from '../../../model/model.ts';
import { keyMembers } from '../../../model/row-key.ts';
import type { FieldValues } from '../../../plan/plan.ts';
import type { ConversionProblem, ConvertedValues, PairedConversion } from '../../../versions/row-conversion.ts';
import { listColumns } from '../../sql/columns.ts';
import { NEW } from '../../sql/conversion/table-conversion.ts';
import type { SqlRow, SqlValue } from '../../sql/dialect.ts';
import type { ResourceProfile } from '../../sql/schema/model-profile.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { WORDS_PREFIX } from '../dialect/search-columns.ts';
import { MARKER, marksTable, type PairNames, WRITER } from './pair-names.ts';

const { quote } = postgres;
const TEXT: ValueType = { kind: 'text', format: null };

/** The rows that are converted by one statement. */
export const BLOCK = 1_000;

/** The model whose instances have written a row that is marked. */
export type MarkedBy = 'old' | 'new';

/** A row that was converted for the other model: its key, and the values of the columns that are written. */
interface MarkedRow {
  readonly key: readonly SqlValue[];
  readonly values: readonly SqlValue[];
}

/** Reports a row that cannot be converted. */
export type ReportFailure = (row: { readonly table: string; readonly id: string; readonly message: string }) => void;

/** A resource of two models. */
interface SharedResource {
  /** The one of the newer model, with the earlier names of its fields. */
  readonly resource: Resource;
  readonly conversion: PairedConversion | null;
  /** The profile that the database records of it; null for a resource that only the newer model has. */
  readonly before: ResourceProfile | null;
}

/**
 * A table whose rows two models read and write. It has the columns of the older one under their names, and next to them
 * those of the newer one that hold other values.
 */
export class SharedTable {
  readonly resource: Resource;
  /** Null for a table in which only names differ. */
  readonly conversion: PairedConversion | null;
  readonly key: readonly string[];
  /** The earlier names of renamed columns, by the later ones. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly #names: PairNames;

  constructor({ resource, conversion, before }: SharedResource, names: PairNames) {
    this.resource = resource;
    this.conversion = conversion;
    this.key = keyMembers(resource).toReversed();
    const isStored = (name: string): boolean => before !== null && Object.hasOwn(before.fields, name);
    this.renamed = new Map(
      resource.fields.flatMap(({ name, was }) =>
        was !== null && isStored(was) && !isStored(name) ? [[name, was] as const] : [],
      ),
    );
    this.#names = names;
  }

  get name(): string {
    return this.resource.name;
  }

  /** The table, with its schema. */
  get table(): string {
    return `${quote(this.#names.schema)}.${quote(this.name)}`;
  }

  /** True if the newer model has a column of its own for a field. */
  isConverted(field: string): boolean {
    return this.conversion?.to.some(({ name }) => name === field) ?? false;
  }

  /** The column that holds a field of the newer model. */
  column(field: string): string {
    return this.isConverted(field) ? NEW + field : (this.renamed.get(field) ?? field);
  }

  /** The view in which instances of the newer model find their columns. */
  get view(): string {
    const words = postgres
      .derivedColumns(this.resource)
      .map(({ name, field }) => `${quote(WORDS_PREFIX + this.column(field))} as ${quote(name)}`);
    const columns = listColumns(this.resource).map(({ name }) => `${quote(this.column(name))} as ${quote(name)}`);
    return `create view ${quote(this.#names.views)}.${quote(this.name)} as select ${[...columns, ...words].join(', ')} from ${this.table}`;
  }

  /** The statements that add the columns of the newer model, and mark rows that are written from then on. */
  get expansion(): readonly string[] {
    const { conversion } = this;
    if (conversion === null) return [];
    const added = conversion.to.map(
      ({ name, type }) => `add column if not exists ${quote(NEW + name)} ${postgres.columnType(type)}`,
    );
    const optional = conversion.from.map(({ name }) => `alter column ${quote(name)} drop not null`);
    return [`alter table ${this.table} ${[...added, ...optional].join(', ')}`, ...this.#markRows(conversion)];
  }

  #markRows({ from, to }: PairedConversion): readonly string[] {
    const { id } = this.#names;
    const [marks, marker] = [marksTable(this.#names), quote(MARKER + this.name)];
    const keyOf = (row: string): string =>
      `array[${this.key.map((name) => `${row}.${quote(name)}`).join(', ')}]::text[]`;
    const isSame = (columns: readonly string[]): string => {
      const rows = ['old', 'new'].map(
        (row) => `row(${columns.map((name) => `${row}.${quote(name)}`).join(', ')})::text`,
      );
      return columns.length === 0 ? 'true' : rows.join(' = ');
    };
    const own = `model = ${quoteText(id)} and resource = ${quoteText(this.name)}`;
    const body = `declare writer text := coalesce(current_setting('${WRITER}', true), '');
begin
  if tg_op = 'DELETE' then
    delete from ${marks} where ${own} and key = ${keyOf('old')};
    return null;
  end if;
  if writer = 'none' then return null; end if;
  writer := case when writer = ${quoteText(id)} then 'new' else 'old' end;
  if tg_op = 'UPDATE' then
    if writer = 'old' and ${isSame(from.map(({ name }) => name))} then return null; end if;
    if writer = 'new' and ${isSame(to.map(({ name }) => NEW + name))} then return null; end if;
  end if;
  insert into ${marks} as marked values (${quoteText(id)}, ${quoteText(this.name)}, ${keyOf('new')}, writer, tg_op = 'INSERT')
  on conflict (model, resource, key) do update set writer = excluded.writer, created = marked.created or excluded.created;
  return null;
end`;
    return [
      `create or replace function ${quote(this.#names.schema)}.${marker}() returns trigger language plpgsql as $marker$ ${body} $marker$`,
      `create or replace trigger ${marker} after insert or update or delete on ${this.table} for each row execute function ${quote(this.#names.schema)}.${marker}()`,
    ];
  }

  /** The statements that mark no more rows. */
  get unmark(): readonly string[] {
    if (this.conversion === null) return [];
    const marker = quote(MARKER + this.name);
    return [
      `drop trigger if exists ${marker} on ${this.table}`,
      `drop function if exists ${quote(this.#names.schema)}.${marker}()`,
    ];
  }

  /** Reads some rows by their key. Parameters: the key of the row before the first; none for the first rows. */
  selectAfter(isFirst: boolean): string {
    return this.#selectBlock('true as created', isFirst);
  }

  /** Reads some rows as {@link SharedTable.selectAfter} does, with the marks of those that are not converted yet. */
  selectWithMarks(isFirst: boolean): string {
    const key = `array[${this.key.map((name) => `shared.${quote(name)}`).join(', ')}]::text[]`;
    const own = `marked.model = ${quoteText(this.#names.id)} and marked.resource = ${quoteText(this.name)}`;
    const mark = `select created from ${marksTable(this.#names)} as marked where ${own} and marked.key = ${key} and marked.writer = 'old'`;
    return this.#selectBlock(`(${mark}) as created`, isFirst);
  }

  #selectBlock(created: string, isFirst: boolean): string {
    const key = this.key.map(quote).join(', ');
    return `select ${created}, ${this.#selection} from ${this.table} as shared${this.#after(isFirst)} order by ${key} limit ${BLOCK}`;
  }

  /** Finds why the columns of the newer model do not hold a row of the older one. */
  findProblems(row: SqlRow): readonly ConversionProblem[] {
    const { conversion } = this;
    if (conversion === null) return [];
    const { from, to } = conversion;
    const [older, newer] = [decodeFields(row, from, 'from'), decodeFields(row, to, 'to')];
    const converted = conversion.convert(older);
    const isMarked = row['created'] !== null;
    const isNew = row['created'] === 1;
    const held = isMarked ? convertFor({ conversion, by: 'old', isNew }, older, newer).values : newer;
    // Instances of the newer model have checked what differs from the converted values, and losses are theirs.
    return isDeepStrictEqual(held, converted.values) ? converted.problems : conversion.findInvalid(held);
  }

  /** Counts the rows after a key. Parameters: as those of {@link SharedTable.selectAfter}. */
  countAfter(isFirst: boolean): string {
    return `select count(*) as number from ${this.table}${this.#after(isFirst)}`;
  }

  #after(isFirst: boolean): string {
    const after = this.key.map((_, at) => `$${at + 1}`).join(', ');
    return isFirst ? '' : ` where (${this.key.map(quote).join(', ')}) > (${after})`;
  }

  /** Reads some rows that instances of one model have written. */
  selectMarked(by: MarkedBy): string {
    const same = this.key.map((name, at) => `shared.${quote(name)} = marked.key[${at + 1}]`).join(' and ');
    const own = `marked.model = ${quoteText(this.#names.id)} and marked.resource = ${quoteText(this.name)}`;
    return `select marked.created, ${this.#selection} from ${marksTable(this.#names)} as marked join ${this.table} as shared on ${same}
where ${own} and marked.writer = '${by}' order by marked.key limit ${BLOCK}`;
  }

  get #selection(): string {
    const { from = [], to = [] } = this.conversion ?? {};
    const key = [...this.key, 'id'].map((name, at) => `shared.${quote(name)} as ${quote(`key ${at}`)}`);
    const select = (column: string, { type }: Field, as: string): string =>
      `${postgres.selection(`shared.${quote(column)}`, type)} as ${quote(as)}`;
    return [
      ...key,
      ...from.map((field, at) => select(field.name, field, `from ${at}`)),
      ...to.map((field, at) => select(NEW + field.name, field, `to ${at}`)),
    ].join(', ');
  }

  /** Converts a row that an instance of one model has written for those of the other. */
  convert(row: SqlRow, by: MarkedBy, report: ReportFailure): MarkedRow {
    const { conversion } = this;
    if (conversion === null) throw new Error(`Rows of ${this.name} are not converted`);
    const { from, to } = conversion;
    const [older, newer] = [decodeFields(row, from, 'from'), decodeFields(row, to, 'to')];
    const isNew = row['created'] === 1;
    const { values, problems } = convertFor({ conversion, by, isNew }, older, newer);
    for (const problem of problems) {
      if (problem.kind !== 'failed') continue;
      report({ table: this.name, id: String(row[`key ${this.key.length}`]), message: problem.message });
    }
    const written = by === 'old' ? to : from;
    return {
      key: this.key.map((_, at) => row[`key ${at}`] ?? null),
      values: written.map(({ name, type }) => encodeValue(values[name] ?? null, type)),
    };
  }

  /** The statement that writes converted rows, and its parameters; null where nothing is to be written. */
  update(rows: readonly MarkedRow[], by: MarkedBy): readonly [text: string, values: readonly SqlValue[]] | null {
    const { rowArrays } = postgres;
    const { from = [], to = [] } = this.conversion ?? {};
    const columns =
      by === 'old'
        ? to.map(({ name, type }) => ({ name: NEW + name, type }))
        : from.map(({ name, type }) => ({ name, type }));
    if (columns.length === 0 || rowArrays === null || rows.length === 0) return null;
    const assigned = columns.map(({ name }, at) => `${quote(name)} = ${rowArrays.value(at + 1)}`);
    const same = this.key.map((name, at) => `shared.${quote(name)} = ${rowArrays.value(columns.length + at + 1)}`);
    const types = [...columns.map(({ type }) => type), ...this.key.map(() => TEXT)];
    const cells = rows.map(({ values, key }) => [...values, ...key]);
    return [
      `update ${this.table} as shared set ${assigned.join(', ')} from ${rowArrays.source(types)} where ${same.join(' and ')}`,
      types.map((_, at) => arrayLiteral(cells.map((row) => row[at] ?? null))),
    ];
  }

  /** The statement that removes the marks of rows, and its parameters. */
  removeMarks(rows: readonly Pick<MarkedRow, 'key'>[]): readonly [text: string, values: readonly SqlValue[]] {
    const names = this.key.map((_, at) => `k${at}`).join(', ');
    const given = this.key.map((_, at) => `$${at + 1}::text[]`).join(', ');
    return [
      `delete from ${marksTable(this.#names)} where model = ${quoteText(this.#names.id)} and resource = ${quoteText(this.name)}
and key in (select array[${names}] from unnest(${given}) as given(${names}))`,
      this.key.map((_, at) => arrayLiteral(rows.map(({ key }) => key[at] ?? null))),
    ];
  }
}

interface ConversionCase {
  readonly conversion: PairedConversion;
  readonly by: MarkedBy;
  /** True for a row that no instance of the other model has seen. */
  readonly isNew: boolean;
}

function convertFor(
  { conversion, by, isNew }: ConversionCase,
  older: FieldValues,
  newer: FieldValues,
): ConvertedValues {
  if (by === 'new') return conversion.revert(newer, isNew ? null : older);
  return isNew ? conversion.convert(older) : conversion.update(older, newer);
}

function decodeFields(row: SqlRow, fields: readonly Field[], prefix: string): FieldValues {
  return Object.fromEntries(
    fields.map(({ name, type }, at): [string, Json] => {
      const stored = row[`${prefix} ${at}`] ?? null;
      if (stored === null) return [name, type.kind === 'array' ? [] : null];
      const decode = postgres.decode(type);
      if (decode !== null) return [name, decode(stored)];
      return [name, typeof stored === 'number' || typeof stored === 'boolean' ? stored : String(stored)];
    }),
  );
}

/** A value that the column cannot hold is one that its schema does not allow. */
function encodeValue(value: Json, type: ValueType): SqlValue {
  return value === null ? null : (postgres.encode(type)(value) ?? null);
}
