import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import { MixedStamps } from '../../sql/existing/mixed-stamps.ts';
import { involvesTables, withOwnStamps } from '../../sql/existing/table-unit.ts';
import type { Tables } from '../../sql/tables.ts';
import type { ChangeStamps, Writer } from '../../store.ts';
import { parseDatabaseUrl } from '../driver/database-url.ts';
import type { ReadGuard } from '../read/read-guard.ts';
import { changedTablesGuard } from './changed-tables.ts';

/** The schema of everything that the server stores next to tables of another program. */
export const OWN_SCHEMA = 'restwright';

/** The URL of a database with the schema of what the server stores next to tables. @throws {InvalidDatabaseUrl} */
export function ownSchemaUrl(text: string): string {
  parseDatabaseUrl(text, undefined);
  const url = new URL(text);
  url.searchParams.set('schema', OWN_SCHEMA);
  return url.href;
}

/** Explains errors of own tables, then those of tables of another program. */
export function joinGuards(own: ReadGuard): ReadGuard {
  return {
    requireMatch: () => own.requireMatch(),
    explain: async (error, run) => changedTablesGuard.explain(await own.explain(error, run), run),
  };
}

/** The writer and the stamps of a store. */
interface WritingParts {
  readonly writes: Writer;
  readonly stamps: ChangeStamps;
}

/** Adds tables of another program to the writer and the stamps of own rows. @param existing those of the tables */
export function withTables(own: WritingParts, existing: WritingParts, tables: Tables): WritingParts {
  return {
    writes: new RoutedWriter({ own: own.writes, tables: existing.writes }, tables),
    stamps: new MixedStamps({ own: own.stamps, existing: existing.stamps }, tables),
  };
}

interface WriterRoutes {
  /** Commits units that write own rows alone. */
  readonly own: Writer;
  /** Commits units that write tables of another program, or refer to their rows. */
  readonly tables: Writer;
}

/** Gives each unit to the writer of its tables. */
class RoutedWriter implements Writer {
  readonly #routes: WriterRoutes;
  readonly #tables: Tables;

  constructor(routes: WriterRoutes, tables: Tables) {
    this.#routes = routes;
    this.#tables = tables;
  }

  get pending(): number {
    return this.#routes.own.pending + this.#routes.tables.pending;
  }

  commit(unit: WriteUnit, deadline?: number): Promise<WriteOutcome> {
    const { own, tables } = this.#routes;
    const writer = unit.plans.some((plan) => involvesTables(this.#tables, plan)) ? tables : own;
    return writer.commit(withOwnStamps(this.#tables, unit), deadline);
  }
}
