import type { SqlRow, SqlValue, Statement } from '../../sql/dialect.ts';
import { nextBatchRows } from '../../sql/copy/batch-size.ts';
import type { CopiedTable } from '../../sql/copy/copied-tables.ts';
import { type CopySource, type CopyTarget, type LastNumbers, lastNumbers } from '../../sql/copy/copy-database.ts';
import { RefusedCopyRow } from '../../sql/copy/unstorable-row.ts';
import { EXCLUDE_WRITES } from '../commit/write-locks.ts';
import { FROM_LOG } from '../../sql/log-numbers.ts';
import { SystemStatements } from '../../sql/system-statements.ts';
import { type DatabaseAccess, openSession } from '../connection/open-session.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { isOfStatement, isOverIndexLimit } from '../driver/postgres-errors.ts';
import { arrayLiteral, fieldName } from '../dialect/literals.ts';

const system = new SystemStatements(postgres);

/** Rows of the first answer: how large rows are is not known yet. */
const FIRST_ROWS = 16;
/** Milliseconds that a copy waits for a lock. */
const LOCK_TIMEOUT = 5_000;

const COLUMNS = `select attname as name, format_type(atttypid, null) as type from pg_attribute
where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`;

/** The foreign keys of the schema, and the statements that drop and add them. */
const KEYS = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
  format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create, null as comment
from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`;

/** The same of its indexes. The name of one that is too long for the database is its comment. */
const INDEXES = `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create,
  format('comment on index %I is %L', relname, obj_description(indexrelid, 'pg_class')) as comment
from pg_index join pg_class on pg_class.oid = indexrelid
where relnamespace = current_schema()::regnamespace and not indisprimary`;

function connect(access: DatabaseAccess, readOnly: boolean): Promise<PostgresConnection> {
  return openSession(access, { name: 'restwright copy', statementTimeout: 0, lockTimeout: LOCK_TIMEOUT, readOnly });
}

/** A schema whose rows are copied. */
export async function postgresCopySource(access: DatabaseAccess): Promise<CopySource> {
  const session = await connect(access, true);
  try {
    await session.query('begin isolation level repeatable read read only');
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    all: async ({ text, values }) => (await session.query(text, values)).rows,
    async *batches(text) {
      await session.script(`declare copied no scroll cursor for ${text}`);
      for (let limit = FIRST_ROWS; ; ) {
        const { rows } = await session.query(`fetch ${limit} from copied`);
        if (rows.length > 0) yield rows;
        if (rows.length < limit) break;
        limit = nextBatchRows(rows);
      }
      await session.script('close copied');
    },
    columns: async (table) => (await readColumnTypes(session, table)).map(({ name }) => name),
    close: () => session.close(),
  };
}

/** A schema that rows are copied to. */
export async function postgresCopyTarget(access: DatabaseAccess): Promise<CopyTarget> {
  return new PostgresCopyTarget(await connect(access, false));
}

/**
 * Drops foreign keys and indexes, and creates them again in the transaction. Rows arrive in no order of their
 * references, and building an index is faster than filling it.
 */
class PostgresCopyTarget implements CopyTarget {
  readonly #session: PostgresConnection;
  readonly #inserts = new Map<string, string>();
  #create: readonly string[] = [];

  constructor(session: PostgresConnection) {
    this.#session = session;
  }

  async begin(): Promise<void> {
    await this.#session.query('begin');
    await this.#session.query(EXCLUDE_WRITES);
    const dropped = [...(await this.#session.query(KEYS)).rows, ...(await this.#session.query(INDEXES)).rows];
    for (const each of dropped) await this.#session.script(String(each['drop']));
    this.#create = dropped
      .toReversed()
      .flatMap((each) => [each['create'], each['comment']])
      .filter((text) => typeof text === 'string');
  }

  async run({ text, values }: Statement): Promise<readonly SqlRow[]> {
    return (await this.#session.query(text, values)).rows;
  }

  async insert(table: CopiedTable, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    const text = this.#inserts.get(table.name) ?? (await this.#insertInto(table));
    this.#inserts.set(table.name, text);
    const insert = (some: typeof rows): Promise<unknown> =>
      this.#session.query(
        text,
        table.columns.map((_, at) => arrayLiteral(some.map((values) => values[at] ?? null))),
      );
    try {
      await Promise.all([this.#session.query('savepoint batch'), insert(rows)]);
    } catch (error) {
      throw isOfStatement(error) ? await this.#findRefused(rows, insert, error) : error;
    }
  }

  /** Finds the first row that is refused, by halves, after those before it. Nothing of the batch is stored then. */
  async #findRefused<T>(
    rows: readonly T[],
    insert: (some: readonly T[]) => Promise<unknown>,
    cause: unknown,
  ): Promise<RefusedCopyRow> {
    let [from, to, reason] = [0, rows.length, cause];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      await this.#session.query('rollback to savepoint batch');
      try {
        await insert(rows.slice(0, middle));
        from = middle;
      } catch (error) {
        if (!isOfStatement(error)) throw error;
        [to, reason] = [middle, error];
      }
    }
    return new RefusedCopyRow(from, reason);
  }

  async commit(): Promise<void> {
    for (const text of this.#create) await this.#restore(text);
    await this.#session.query('commit');
    await this.#session.script('analyze');
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #restore(text: string): Promise<void> {
    try {
      await this.#session.script(text);
    } catch (error) {
      if (!isOverIndexLimit(error)) throw error;
      const cause = 'a row of an earlier version has values that are too long for an index of PostgreSQL';
      throw new Error(`${cause}. Shorten them, or remove the index from the model: ${text}`, { cause: error });
    }
  }

  /** Rows are bound as one array for each column. */
  async #insertInto({ name, columns }: CopiedTable): Promise<string> {
    const types = new Map((await readColumnTypes(this.#session, name)).map((column) => [column.name, column.type]));
    const arrays = columns.map(
      (column, at) => `$${at + 1}::${column.expression === null ? types.get(column.name) : 'text'}[]`,
    );
    const bound = columns.map((_, at) => postgres.quote(`value ${at}`));
    const values = columns.map(({ expression }, at) => expression?.(bound[at] ?? '') ?? bound[at]);
    const names = columns.map((column) => postgres.quote(column.name));
    return `insert into ${postgres.quote(name)} (${names.join(', ')}) select ${values.join(', ')}
from unnest(${arrays.join(', ')}) as row(${bound.join(', ')})`;
  }
}

async function readColumnTypes(
  session: PostgresConnection,
  table: string,
): Promise<readonly { readonly name: string; readonly type: string }[]> {
  const { rows } = await session.query(COLUMNS, [postgres.quote(table)]);
  return rows.map(({ name, type }) => ({ name: fieldName(String(name)), type: String(type) }));
}

/** The statements that read the last numbers, of this format and of the one before, and the table that each needs. */
const NUMBERS = [
  { table: 'restwright_slots', text: system.commits().text },
  { table: 'restwright_counts', text: `select change as revision, count as event ${FROM_LOG}` },
];

/** Reads the last numbers of changes and events; null for a schema that is not one of Restwright. */
export async function postgresNumbers(access: DatabaseAccess): Promise<LastNumbers | null> {
  const session = await connect(access, true);
  try {
    for (const { table, text } of NUMBERS) {
      const [found] = (await session.query('select to_regclass($1) is not null as found', [table])).rows;
      if (found?.['found'] === 1) return lastNumbers((await session.query(text)).rows[0] ?? null);
    }
    return null;
  } finally {
    await session.close();
  }
}
