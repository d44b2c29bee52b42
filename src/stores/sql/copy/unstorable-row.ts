import type { SqlRow } from '../dialect.ts';

/** A row of a batch that the target of a copy refuses. */
export class RefusedCopyRow extends Error {
  override readonly name = 'RefusedCopyRow';
  /** Its index in the batch. */
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.index = index;
  }
}

/** A row that cannot be copied, with its table and its key. */
export class UnstorableRow extends Error {
  override readonly name = 'UnstorableRow';

  /** @param row as the source has it */
  constructor(table: string, row: SqlRow, { message, cause }: RefusedCopyRow) {
    const withNul = Object.entries(row).flatMap(([name, value]) => (hasNul(value) ? [name] : []));
    const reason =
      withNul.length === 0
        ? message
        : `the text of ${withNul.join(', ')} contains NUL (U+0000), which PostgreSQL cannot store`;
    super(`the row ${describeKey(row)} of ${table} cannot be stored: ${reason}. Change it, and copy again`, { cause });
  }
}

/** True for a text that has NUL, also as JSON writes it. */
function hasNul(value: SqlRow[string] | undefined): boolean {
  return typeof value === 'string' && (value.includes('\0') || /(?<!\\)(?:\\\\)*\\u0000/.test(value));
}

/** The id of a row, and those of the rows above it; of a system table the first column. */
function describeKey(row: SqlRow): string {
  const { id } = row;
  const [first = ['', null]] = Object.entries(row);
  return id === undefined ? `${first[0]} ${JSON.stringify(String(first[1]))}` : JSON.stringify(String(id));
}
