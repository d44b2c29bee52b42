import { type Cache, type CacheStatistics, GenerationalCache } from '../../../cache/cache.ts';

/** The most characters of all cached statements. A statement with more than a 64th of it is prepared each time. */
const MAX_WEIGHT = 1_048_576;
/** Added to the characters of each statement: it takes far more memory than its SQL, and the garbage collector does not see it. */
const STATEMENT_WEIGHT = 2_048;

/** Prepared statements of one connection, by SQL. The SQL has no values, so that entries depend on no identity, permission, visibility or contract. */
export class StatementCache<T extends object> {
  readonly #prepare: (sql: string) => T;
  /** By the SQL itself, which is memoized in most places: a `Map` then compares pointers, while a hash would read all of it. */
  readonly #cache: Cache<T> = new GenerationalCache<T, string>(
    { maxWeight: MAX_WEIGHT, weigh: (_statement, sql) => STATEMENT_WEIGHT + sql.length },
    (sql) => sql,
  );

  constructor(prepare: (sql: string) => T) {
    this.#prepare = prepare;
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  get(sql: string): T {
    const cached = this.#cache.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#prepare(sql);
    this.#cache.set(sql, statement);
    return statement;
  }

  clear(): void {
    this.#cache.clear();
  }
}
