import { timestamp } from '../../../conventions/text/timestamp.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { ForeignChange, PlanChanges, RecordedChange } from '../../../plan/foreign-change.ts';
import type { Row, WritePlan } from '../../../plan/plan.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import type { Table, Tables } from '../../sql/tables.ts';
import type { ForeignChanges, Store } from '../../store.ts';
import type { PostgresChangeStamps } from '../commit/change-stamps.ts';
import { KnownShapes } from '../commit/known-shapes.ts';
import { UnitTransaction } from '../commit/unit-transaction.ts';
import { DRAIN_ALONE } from '../commit/write-locks.ts';
import type { Session } from '../connection/sessions.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { storeError } from '../driver/postgres-errors.ts';
import type { PostgresClient } from '../read/postgres-client.ts';
import { ENOUGH_ENTRIES, TAKE, WAITS } from './take-entries.ts';
import { joinStates, readTriggers } from './trigger-state.ts';

export interface DrainOptions {
  readonly session: Session;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly observe: Observe;
  readonly stamps: Pick<PostgresChangeStamps, 'committed'>;
  readonly client: Pick<PostgresClient, 'requireMatch' | 'explain'>;
}

/** A recorded state of a row, and where it goes. */
interface State {
  readonly json: string;
  row: Row | null;
}

/** An entry, with the states that each resource of its table shows. */
interface QueueEntry {
  readonly row: SqlRow;
  readonly tables: readonly Table[];
}

/** Moves what triggers have recorded to the log. One process at a time does it. */
export class QueuedChanges implements ForeignChanges {
  readonly #options: DrainOptions;
  readonly #shapes = new KnownShapes();
  readonly #recorded: ReadonlyMap<number, readonly Table[]>;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#recorded = Map.groupBy(
      [...options.tables].filter(({ existing }) => (existing?.recorded ?? null) !== null),
      ({ existing }) => existing?.oid ?? 0,
    );
  }

  async drain(plan: PlanChanges): Promise<boolean> {
    const { session, client } = this.#options;
    try {
      client.requireMatch();
      const opened = await session.open();
      const { rows } = await opened.query(WAITS, [this.#oids]);
      return rows.length > 0 && (await this.#move(opened, plan));
    } catch (error) {
      session.discard();
      this.#shapes.clear();
      throw await client.explain(storeError(error));
    }
  }

  async check(): Promise<void> {
    const { session, observe, client } = this.#options;
    try {
      const opened = await session.open();
      const read = async (...sent: Parameters<PostgresConnection['query']>): Promise<readonly SqlRow[]> =>
        (await opened.query(...sent)).rows;
      for (const found of await readTriggers(read, [...this.#recorded.keys()])) {
        const triggers = joinStates(found);
        const table = this.#findName(found.oid);
        if (triggers !== 'enabled') observe({ kind: 'table-unrecorded', table, cause: triggers });
        else if (found.hasHeirs) observe({ kind: 'table-unrecorded', table, cause: 'inherited' });
      }
    } catch (error) {
      session.discard();
      throw await client.explain(storeError(error));
    }
  }

  get #oids(): string {
    return arrayLiteral([...this.#recorded.keys()]);
  }

  #findName(oid: number): string {
    return this.#recorded.get(oid)?.[0]?.resource.table?.table ?? '';
  }

  /** @returns true where more entries may wait */
  async #move(session: PostgresConnection, plan: PlanChanges): Promise<boolean> {
    await session.query('begin');
    const [lock] = (await session.query(DRAIN_ALONE)).rows;
    if (lock?.['locked'] !== 1) {
      await session.query('rollback');
      return false;
    }
    const { rows } = await session.query(TAKE, [this.#oids]);
    const sorted = [...rows].sort((one, other) => Number(one['number']) - Number(other['number']));
    const truncated = sorted.filter((row) => row['command'] === 'T');
    await this.#log(session, plan(await this.#decode(session, sorted)));
    for (const row of truncated)
      this.#options.observe({ kind: 'table-truncated', table: this.#findName(Number(row['table'])) });
    return rows.length >= ENOUGH_ENTRIES;
  }

  async #log(session: PostgresConnection, plans: readonly WritePlan[]): Promise<void> {
    const { tables, clock, stamps } = this.#options;
    const unit = { plans };
    const options = { session, tables, units: [unit], now: clock.now(), shapes: this.#shapes, isBegun: true };
    const transaction = await UnitTransaction.begin(options);
    if ((await transaction.runTogether([unit])) === null) throw new Error('Recorded changes could not be logged');
    await transaction.commit();
    stamps.committed({ ...transaction.states, plans: [] });
  }

  async #decode(session: PostgresConnection, rows: readonly SqlRow[]): Promise<readonly RecordedChange[]> {
    const entries = rows
      .filter((row) => row['command'] !== 'T')
      .map((row): QueueEntry => ({ row, tables: this.#recorded.get(Number(row['table'])) ?? [] }));
    const states = new Map<Table, State[]>();
    const changes = entries.flatMap(({ row, tables }) => {
      if (row['command'] === 'P') return [() => readPlan(row)];
      return tables.map((table) => {
        const known = states.get(table) ?? [];
        states.set(table, known);
        const [before, after] = [addState(known, row['before']), addState(known, row['after'])];
        return (): ForeignChange => ({
          kind: 'foreign',
          resource: table.resource.name,
          before: before?.row ?? null,
          after: after?.row ?? null,
          at: timestamp(Number(row['at'])),
          transaction: String(row['transaction']),
        });
      });
    });
    for (const [table, found] of states) await readStates(session, table, found);
    return changes.map((read) => read());
  }
}

function readPlan({ plan, transaction }: SqlRow): RecordedChange {
  return { kind: 'planned', plan: JSON.parse(String(plan)), transaction: String(transaction) };
}

function addState(states: State[], json: SqlRow[string] | undefined): State | null {
  if (typeof json !== 'string') return null;
  const state: State = { json, row: null };
  states.push(state);
  return state;
}

/** Reads states as a statement reads rows of the table. */
async function readStates(session: PostgresConnection, table: Table, states: readonly State[]): Promise<void> {
  const text = `select ${table.selection()} from ${table.existing?.recorded?.states} as ${table.name}`;
  const { rows } = await session.query(text, [`[${states.map(({ json }) => json).join(',')}]`]);
  for (const [at, state] of states.entries()) {
    const row = rows[at];
    if (row === undefined) throw new Error(`A recorded state of ${table.resource.name} cannot be read`);
    state.row = table.decode({ ...row });
  }
}

/** The changes of other programs, where triggers record those of a table. */
export function recordedChanges(options: DrainOptions): Pick<Store, 'foreignChanges'> {
  const isRecorded = [...options.tables].some(({ existing }) => (existing?.recorded ?? null) !== null);
  return isRecorded ? { foreignChanges: new QueuedChanges(options) } : {};
}
