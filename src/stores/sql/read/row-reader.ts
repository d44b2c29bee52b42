import type {
  Ancestor,
  ItemPlan,
  ListPlan,
  LocatedRow,
  LookupPlan,
  Page,
  RelatedPlan,
  RelatedRows,
  Row,
  VisibleAncestor,
  VisibleReference,
} from '../../../plan/plan.ts';
import { chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { TimeSlices } from '../../../platform/time-slices.ts';
import { wasVisible } from '../../../plan/policy/holds.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { RowReader } from '../../store.ts';
import type { Statement } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import type { Tables } from '../tables.ts';
import { findTombstone } from '../tombstones.ts';
import { listBatch, decodePage } from './list-page.ts';
import { missingOfBlock, missingReferenceBlocks, type ReferenceBlock } from './missing-references.ts';
import { ancestorsStatement, rowExistsStatement } from './exists-statements.ts';
import { itemStatement } from './read-statements.ts';
import { lookupRows, lookupStatement, relatedRows, relatedStatement } from './related-statements.ts';

/** Reads rows by statements that are compiled from plans. Synchronous where the client is. */
export class SqlRowReader implements RowReader {
  readonly #client: SqlClient;
  readonly #tables: Tables;
  readonly #clock: Clock;

  constructor(client: SqlClient, tables: Tables, clock: Clock) {
    this.#client = client;
    this.#tables = tables;
    this.#clock = clock;
  }

  item(plan: ItemPlan): MaybePromise<Row | null> {
    const table = this.#tables.of(plan.resource);
    const read = this.#client.get(itemStatement(this.#tables, plan));
    // Not `chain`: the most frequent read of all allocates no closure.
    if (read instanceof Promise) return read.then((row) => (row === null ? null : table.decode(row)));
    return read === null ? null : table.decode(read);
  }

  async wasVisible(plan: ItemPlan): Promise<boolean> {
    const { resource, visible } = plan;
    const table = this.#tables.of(resource);
    if (table.resource.tombstones === null) return false;
    const row = await this.#client.get(findTombstone(table.dialect, resource, plan, this.#clock.now()));
    const { resources } = this.#tables.context;
    if (row === null) return false;
    const values = this.#tables.recordForms.readTombstone(resource, JSON.parse(String(row['row'])));
    return wasVisible(resources, table.resource, values, visible);
  }

  list(plan: ListPlan): MaybePromise<Page> {
    return chain(this.#client.batch(listBatch(this.#tables, plan)), (rows) => decodePage(this.#tables, plan, rows));
  }

  async lookup(plan: LookupPlan): Promise<readonly LocatedRow[]> {
    const { resource, effort = 'bounded' } = plan;
    const statements = (): readonly Statement[] => [lookupStatement(this.#tables, plan)];
    const [rows = []] = await this.#client.batch({ resource, effort, statements });
    return lookupRows(this.#tables, plan, rows);
  }

  async related(plan: RelatedPlan): Promise<readonly RelatedRows[]> {
    const { resource, effort = 'unbounded' } = plan;
    const [rows = []] = await this.#client.batch({
      resource,
      effort,
      statements: (checks) => [relatedStatement(this.#tables, plan, checks)],
    });
    return relatedRows(this.#tables, plan, rows);
  }

  async missingAncestor(within: readonly VisibleAncestor[]): Promise<Ancestor | null> {
    if (within.length === 0) return null;
    const row = await this.#client.get(ancestorsStatement(this.#tables, within));
    return within.findLast((_, level) => Number(row?.[String(level)]) !== 1) ?? null;
  }

  async missingReferences(references: readonly VisibleReference[]): Promise<readonly VisibleReference[]> {
    const [only] = references;
    if (references.length === 1 && only !== undefined) {
      return (await this.#client.get(rowExistsStatement(this.#tables, only))) === null ? references : [];
    }
    const blocks = missingReferenceBlocks(this.#tables, references);
    const missing = new Set(await (blocks.length > 1 ? this.#missingInSlices(blocks) : this.#missingOf(blocks)));
    return references.filter((reference) => missing.has(reference));
  }

  /** Reads blocks one after another, so that other requests do not wait for all of them. */
  async #missingInSlices<R>(blocks: readonly ReferenceBlock<R>[]): Promise<readonly R[]> {
    const slices = new TimeSlices({ items: 1, milliseconds: Infinity });
    const missing: R[] = [];
    for (const block of blocks) {
      await slices.next();
      missing.push(...(await this.#missingOf([block])));
    }
    return missing;
  }

  async #missingOf<R>([block]: readonly ReferenceBlock<R>[]): Promise<readonly R[]> {
    if (block === undefined) return [];
    return missingOfBlock(block, await this.#client.all(block.statement));
  }
}
