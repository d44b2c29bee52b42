import pg from 'pg';
import type { Model } from '../../../../src/model/model.ts';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import type { SqlRow, Statement } from '../../../../src/stores/sql/dialect.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { compileUnit } from '../../../../src/stores/sql/write/compile-unit.ts';
import { beginCounters, closingStatements, hasNumbers, listTimes } from '../../../../src/stores/sql/write/counters.ts';

/** The time at which it writes. */
const NOW = 1_000;

/** Writes as a build of format 12 does, which counts revisions and sequences in one row. */
export class CountingBuild {
  readonly #client: pg.Client;
  readonly #tables: Tables;

  private constructor(client: pg.Client, model: Model) {
    this.#client = client;
    this.#tables = new Tables(model, { ...postgres, numbers: 'counted' });
  }

  static async open(url: string, model: Model): Promise<CountingBuild> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"`);
    return new CountingBuild(client, model);
  }

  /** Begins a transaction: waits for the row of the log. */
  async begin(): Promise<SqlRow | null> {
    await this.#client.query('begin');
    const [row = null] = await this.query(`${this.#tables.system.counters().text} for update`);
    return row;
  }

  /** Commits a unit that is not refused. @returns the last revision and sequence */
  async write(unit: WriteUnit): Promise<readonly [number, number]> {
    try {
      const begun = beginCounters(await this.begin());
      const { statements, counters } = compileUnit(this.#tables, unit, begun, NOW);
      const { revision, log } = counters;
      const numbers = this.#tables.system.setCounters(revision, log.sequence, ...listTimes(log.open));
      await this.#run([
        ...statements.map(({ statement }) => statement),
        ...closingStatements(this.#tables, counters, NOW),
        ...(hasNumbers(begun, counters) ? [numbers] : []),
      ]);
      await this.#client.query('commit');
      return [revision, log.sequence];
    } catch (error) {
      await this.#client.query('rollback');
      throw error;
    }
  }

  async query(text: string): Promise<readonly SqlRow[]> {
    return (await this.#client.query<SqlRow>(text)).rows;
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #run(statements: readonly Statement[]): Promise<void> {
    for (const { text, values } of statements) await this.#client.query(text, [...values]);
  }
}
