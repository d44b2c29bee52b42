import { setTimeout } from 'node:timers/promises';
import type { Observe } from '../../../observe/observation.ts';
import type { Statement } from '../../sql/dialect.ts';
import { METADATA } from '../../sql/system-statements.ts';
import { EXCLUDE_WRITES } from '../commit/write-locks.ts';
import type { Tables } from '../../sql/tables.ts';
import type { StorageTypes } from '../../sql/schema/migration.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { reportFailures } from './marked-client.ts';
import { createMarks, setWriter } from './pair-names.ts';
import type { RecordedExpansion } from './pair-plan.ts';
import { BLOCK, type ReportFailure, type SharedTable } from './shared-table.ts';
import { convertBlock, type SharedTables } from './shared-tables.ts';

/** Milliseconds between two blocks, for the writes of others. */
const PAUSE = 2;

interface ExpandOptions {
  readonly session: PostgresConnection;
  readonly tables: Tables;
  readonly shared: SharedTables;
  /** The version of the rows. */
  readonly from: string;
  /** That of an interrupted run; null for none. */
  readonly expansion: RecordedExpansion | null;
  /** The storage types of both models. */
  readonly types: StorageTypes;
  readonly observe: Observe;
}

/**
 * Adds the columns of a newer model to the tables of an older one, and fills them block by block. Instances of the
 * older one read and write meanwhile. An interrupted run resumes after the last block.
 */
export class RowExpansion {
  readonly #options: ExpandOptions;
  readonly #report: ReportFailure;
  #expansion: RecordedExpansion;

  constructor(options: ExpandOptions) {
    const { shared, from, expansion } = options;
    this.#options = options;
    this.#report = reportFailures(options.observe);
    const { id, views } = shared.names;
    const tables = shared.tables.map(({ name }) => name);
    this.#expansion = expansion ?? { id, views, from, tables, done: false, after: {} };
  }

  /** Runs all that comes before {@link RowExpansion.finish}. */
  async run(): Promise<void> {
    await this.#begin();
    await this.#fill();
    await this.#drain();
  }

  /** Adds the columns, and marks what is written from then on. Takes a moment. */
  async #begin(): Promise<void> {
    const { session, shared, tables, types } = this.#options;
    await this.#lock();
    await session.script(
      [createMarks(shared.names), ...shared.tables.flatMap(({ expansion }) => expansion)].join(';\n'),
    );
    await this.#run([tables.system.setMetadata(METADATA.storageTypes, JSON.stringify(types)), this.#record()]);
    await session.script('commit');
  }

  /** Fills the columns of all rows. */
  async #fill(): Promise<void> {
    for (const table of this.#options.shared.tables) {
      if (table.conversion === null || table.conversion.to.length === 0) continue;
      const total = await this.#countRows(table);
      let rows = 0;
      for (let count = BLOCK; count === BLOCK; await setTimeout(PAUSE)) {
        count = await this.#fillBlock(table);
        rows += count;
        this.#options.observe({ kind: 'rows-converted', table: table.name, rows, total });
      }
    }
  }

  /** The rows that are not converted yet. */
  async #countRows(table: SharedTable): Promise<number> {
    const after = this.#expansion.after[table.name] ?? [];
    const { rows } = await this.#options.session.query(table.countAfter(after.length === 0), after);
    return Number(rows[0]?.['number']);
  }

  /** @returns the number of rows */
  async #fillBlock(table: SharedTable): Promise<number> {
    const { session } = this.#options;
    const after = this.#expansion.after[table.name] ?? [];
    await session.script('begin');
    const { rows } = await session.query(table.selectAfter(after.length === 0), after);
    const written = rows.map((row) => table.convert(row, 'old', this.#report));
    const last = written.at(-1);
    const update = table.update(written, 'old');
    if (last !== undefined && update !== null) {
      const key = last.key.map(String);
      this.#expansion = { ...this.#expansion, after: { ...this.#expansion.after, [table.name]: key } };
      await session.script(setWriter('none'));
      await session.query(...update);
      await this.#run([this.#record()]);
    }
    await session.script('commit');
    return rows.length;
  }

  /** Converts what was written meanwhile, block by block, until little is left. */
  async #drain(): Promise<void> {
    const { session, shared } = this.#options;
    for (const table of shared.tables) {
      if (table.conversion === null) continue;
      for (let count = BLOCK; count === BLOCK; await setTimeout(PAUSE)) {
        await this.#lock();
        await this.#unfill();
        count = await convertBlock(session, table, { by: 'old', report: this.#report });
        await session.script('commit');
      }
    }
  }

  /** Begins a transaction in which no one else writes, and whose own writes are not marked. */
  async #lock(): Promise<void> {
    const { session } = this.#options;
    await session.script('begin');
    await session.script(EXCLUDE_WRITES);
    await session.script(setWriter('none'));
  }

  /** Rows that were marked before they were filled have no values of the newer model that could stay. */
  async #unfill(): Promise<void> {
    const { session, shared } = this.#options;
    const { marks, names } = shared;
    await session.query(`update ${marks} set created = true where model = $1 and not created`, [names.id]);
  }

  /**
   * Converts what was written meanwhile, and creates the views, in one transaction that locks all writes. From then on
   * instances of both models may start.
   *
   * @param records the models
   */
  async finish(records: readonly Statement[]): Promise<void> {
    const { session, shared, tables } = this.#options;
    await this.#lock();
    await this.#unfill();
    await shared.convertMarked(session, 'old', this.#report);
    await session.script([`drop schema if exists ${shared.quotedViews} cascade`, ...shared.views].join(';\n'));
    const done = { ...this.#expansion, done: true, after: {} };
    await this.#run([...records, tables.system.setMetadata(METADATA.expansion, JSON.stringify(done))]);
    await session.script('commit');
  }

  #record(): Statement {
    return this.#options.tables.system.setMetadata(METADATA.expansion, JSON.stringify(this.#expansion));
  }

  async #run(statements: readonly Statement[]): Promise<void> {
    await allAnswers(statements.map(({ text, values }) => this.#options.session.query(text, values)));
  }
}
