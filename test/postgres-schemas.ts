import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * The schemas of a test process. Their names are those of no earlier process: a database outlives it, and process ids
 * return.
 */
export class PostgresSchemas {
  readonly #run = randomBytes(6).toString('hex');
  readonly #names = new Set<string>();

  /** The name of a schema in this process. */
  name(own: string): string {
    const name = `test_${this.#run}_${own}`;
    this.#names.add(name);
    return name;
  }

  /** Drops them. @param text the URL of their database */
  async drop(text: string): Promise<void> {
    const url = new URL(text);
    url.searchParams.delete('schema');
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    for (const name of this.#names) await client.query(`drop schema if exists "${name}" cascade`);
    await client.end();
  }
}
