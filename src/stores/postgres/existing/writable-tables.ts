import type { WritePlan } from '../../../plan/plan.ts';
import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import { referenceFields } from '../../sql/columns.ts';
import type { Tables } from '../../sql/tables.ts';
import type { ChangeStamps, Writer } from '../../store.ts';
import type { Partition } from '../../../plan/list/partitions.ts';
import { chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { parseDatabaseUrl } from '../driver/database-url.ts';
import type { ReadGuard } from '../read/read-guard.ts';
import { changedTablesGuard } from './changed-tables.ts';
import { UnknownStamps } from './unknown-stamps.ts';

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

/** The change stamps of a model with own tables and tables of another program, about whose rows nothing is known. */
class MixedStamps implements ChangeStamps {
  readonly #own: ChangeStamps;
  readonly #tables: Tables;
  readonly #unknown = new UnknownStamps();

  constructor(own: ChangeStamps, tables: Tables) {
    this.#own = own;
    this.#tables = tables;
  }

  rowStamp(resource: string, id: string): MaybePromise<number | null> {
    return this.#of(resource).rowStamp(resource, id);
  }

  knownRowStamp(resource: string, id: string): number | null {
    return this.#of(resource).knownRowStamp(resource, id);
  }

  rowStampAhead(resource: string, id: string): number | null {
    return this.#of(resource).rowStampAhead(resource, id);
  }

  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    const own = resources.filter((name) => !this.#isExisting(name));
    const unknown = this.#unknown.resourceStamps(resources);
    if (own.length === 0) return unknown;
    return chain(this.#own.resourceStamps(own), (stamps) =>
      resources.map((name, at) => stamps[own.indexOf(name)] ?? unknown[at] ?? 0),
    );
  }

  partitionStamp(resource: string, partition: Partition): MaybePromise<number> {
    return this.#isExisting(resource) ? this.#unknown.partitionStamp() : this.#own.partitionStamp(resource, partition);
  }

  settledRevision(): MaybePromise<number | null> {
    return this.#own.settledRevision();
  }

  #isExisting(resource: string): boolean {
    return this.#tables.of(resource).existing !== null;
  }

  #of(resource: string): ChangeStamps {
    return this.#isExisting(resource) ? this.#unknown : this.#own;
  }
}

/** The writer and the stamps of a store. */
interface WritingParts {
  readonly writes: Writer;
  readonly stamps: ChangeStamps;
}

/**
 * Adds tables of another program to the writer and the stamps of own rows.
 *
 * @param written commits the units that write them
 */
export function withTables(own: WritingParts, written: Writer, tables: Tables): WritingParts {
  return {
    writes: new RoutedWriter({ own: own.writes, tables: written }, tables),
    stamps: new MixedStamps(own.stamps, tables),
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
    const writer = unit.plans.some((plan) => this.#involvesTables(plan)) ? tables : own;
    return writer.commit(this.#withKnownStamps(unit), deadline);
  }

  /** The stamps of tables of another program are unknown: they change with each question. */
  #withKnownStamps(unit: WriteUnit): WriteUnit {
    const { plans, expectStamps = [] } = unit;
    const isOwn = ({ resource }: { readonly resource: string }): boolean => this.#tables.of(resource).existing === null;
    return {
      ...unit,
      plans: plans.map((plan) =>
        plan.kind === 'create' && plan.expectStamps !== undefined
          ? { ...plan, expectStamps: plan.expectStamps.filter(isOwn) }
          : plan,
      ),
      expectStamps: expectStamps.filter(isOwn),
    };
  }

  #involvesTables({ resource }: WritePlan): boolean {
    const table = this.#tables.of(resource);
    const isExisting = (name: string): boolean => this.#tables.of(name).existing !== null;
    return isExisting(resource) || referenceFields(table.resource).some(({ target }) => isExisting(target));
  }
}
