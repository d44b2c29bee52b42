import type { Json } from '../../../conventions/json/json.ts';
import type { Resource } from '../../../model/model.ts';
import { readString } from '../../../model/values/access.ts';
import type { Row } from '../../../plan/plan.ts';
import type { ConversionProblem } from '../../../versions/row-conversion.ts';
import { listColumns, type TableColumn } from '../columns.ts';
import type { Dialect, SqlRow } from '../dialect.ts';
import type { TableConversion } from './table-conversion.ts';

/** A row that a conversion does not carry over whole. */
export interface ProblemRow {
  /** The resource in the older contract. */
  readonly older: Resource;
  /** The row as that contract has it. */
  readonly row: Row;
  readonly problems: readonly ConversionProblem[];
}

/** The check of the rows that a plan converts. */
export interface ConversionCheck {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Receives each row with a problem, in the order in which they are read; null if they are only counted. */
  readonly report: ((found: ProblemRow) => void) | null;
}

/** Reads whole rows of the older contract, next to what their conversion reads. */
export class WholeRows {
  readonly #older: Resource;
  readonly #dialect: Dialect;
  readonly #columns: readonly TableColumn[];
  /** The columns that the table lacks, which are unset in every row. */
  readonly #missing: readonly TableColumn[];

  constructor({ older, table }: TableConversion, dialect: Dialect) {
    const stored = new Set(table.columns.map(({ name }) => name));
    const all = listColumns(older);
    this.#older = older;
    this.#dialect = dialect;
    this.#columns = all.filter(({ name }) => stored.has(name));
    this.#missing = all.filter(({ name }) => !stored.has(name));
  }

  /** The columns of the row, to follow those of the conversion in a select list. */
  get selection(): string {
    const dialect = this.#dialect;
    const { quote } = dialect;
    return this.#columns
      .map(({ name, type }, at) => `${dialect.selection(quote(name), type)} as ${quote(`row ${at}`)}`)
      .join(', ');
  }

  /** @param row read by {@link selection} */
  describe(row: SqlRow, problems: readonly ConversionProblem[]): ProblemRow {
    const values: Record<string, Json> = {};
    for (const { name, default: value } of this.#missing) values[name] = value;
    for (const [at, column] of this.#columns.entries()) values[column.name] = this.#decode(row[`row ${at}`], column);
    const system = {
      id: readString(values['id']) ?? '',
      created_at: readString(values['created_at']) ?? '',
      updated_at: readString(values['updated_at']) ?? '',
      revision: Number(values['revision']),
    };
    return { older: this.#older, row: { ...values, ...system }, problems };
  }

  /** An unset array is empty (REP-4). */
  #decode(stored: SqlRow[string] | undefined, { type }: TableColumn): Json {
    if (stored === undefined || stored === null) return type.kind === 'array' ? [] : null;
    const convert = this.#dialect.decode(type);
    if (convert !== null) return convert(stored);
    return typeof stored === 'number' || typeof stored === 'boolean' ? stored : String(stored);
  }
}
