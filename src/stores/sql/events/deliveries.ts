import type {
  DeliveryChange,
  DeliveryKey,
  DeliveryState,
  ReaderLease,
  SubscriptionPosition,
} from '../../../plan/delivery-plan.ts';
import type {
  Deliveries,
  DeliveryQuery,
  DueQuery,
  ExpiredDeliveries,
  OpenResource,
  StoredReader,
  WaitingEndpoint,
} from '../../store.ts';
import type { Dialect, SqlRow } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import { type DeliveryStatements, deliveryStatements } from './delivery-statements.ts';

/** Reads positions and deliveries. Write units change them (`delivery-statements.ts`). */
export class SqlDeliveries implements Deliveries {
  readonly #client: SqlClient;
  readonly #statements: DeliveryStatements;

  constructor(client: SqlClient, dialect: Dialect) {
    this.#client = client;
    this.#statements = deliveryStatements(dialect);
  }

  async register(reader: string, names: readonly string[]): Promise<void> {
    await this.#client.execute(this.#statements.addReader(reader));
    await this.#client.execute(this.#statements.addSubscriptions(JSON.stringify(names)));
  }

  async reader(name: string): Promise<StoredReader | null> {
    const row = await this.#client.get(this.#statements.reader(name));
    if (row === null) return null;
    const lease = { reader: name, owner: String(row['owner']), until: Number(row['leased_until']) };
    return { lease, sequence: Number(row['sequence']) };
  }

  async lease(found: ReaderLease, taken: ReaderLease): Promise<boolean> {
    const { owner, until } = taken;
    const rows = await this.#client.execute(
      this.#statements.lease(owner, until, found.reader, found.owner, found.until),
    );
    return rows.length > 0;
  }

  async positions(names: readonly string[]): Promise<readonly SubscriptionPosition[]> {
    const rows = await this.#client.all(this.#statements.positions(JSON.stringify(names)));
    return rows.map((row) => ({ name: String(row['name']), sequence: Number(row['position']) }));
  }

  async storedAfter(endpoint: string, position: number): Promise<readonly number[]> {
    const rows = await this.#client.all(this.#statements.storedAfter(endpoint, position));
    return rows.map((row) => Number(row['sequence']));
  }

  async waiting(reader: string): Promise<readonly WaitingEndpoint[]> {
    const rows = await this.#client.all(this.#statements.waiting(reader, reader, reader));
    return rows.map((row) => ({ endpoint: String(row['endpoint']), due: Number(row['due']) }));
  }

  async due({ reader, endpoint, now, latest, limit }: DueQuery): Promise<readonly DeliveryChange[]> {
    const rows = await this.#client.all(this.#statements.due(reader, endpoint, now, latest, limit));
    return rows.map(readDelivery);
  }

  async openResources(reader: string, names: readonly string[]): Promise<readonly OpenResource[]> {
    const rows = await this.#client.all(this.#statements.openResources(reader, JSON.stringify(names)));
    return rows.map((row) => ({
      endpoint: String(row['endpoint']),
      resource: String(row['resource']),
      count: Number(row['count']),
    }));
  }

  async list(query: DeliveryQuery): Promise<readonly DeliveryChange[]> {
    const { endpoint, states, limit } = query;
    const from = query.sequence ?? 0;
    const to = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, (query.sequence ?? Number.MAX_SAFE_INTEGER - 1) + 1);
    const { deliveries, deliveriesInStates } = this.#statements;
    const read =
      states === undefined
        ? deliveries(endpoint, from, to, limit)
        : deliveriesInStates(endpoint, JSON.stringify(states), from, to, limit);
    return (await this.#client.all(read)).map(readDelivery);
  }

  async isBehind(sequence: number): Promise<boolean> {
    return (await this.#client.get(this.#statements.behind(sequence, sequence))) !== null;
  }

  async expired({ readers, through, succeededBefore, limit }: ExpiredDeliveries): Promise<readonly DeliveryKey[]> {
    const { ofRemoved, succeeded } = this.#statements;
    const removed = await this.#client.all(ofRemoved(through, JSON.stringify(readers), limit));
    const old = await this.#client.all(succeeded(succeededBefore, limit));
    return [...removed, ...old].slice(0, limit).map((row) => ({
      endpoint: String(row['endpoint']),
      sequence: Number(row['sequence']),
      state: readState(row['state']),
    }));
  }
}

function textOrNull(value: SqlRow[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

function readDelivery(row: SqlRow): DeliveryChange {
  return {
    reader: String(row['reader']),
    endpoint: String(row['endpoint']),
    sequence: Number(row['sequence']),
    state: readState(row['state']),
    attempts: Number(row['attempts']),
    due: Number(row['due']),
    resource: textOrNull(row['resource']),
  };
}

const STATES: readonly DeliveryState[] = ['waiting', 'held', 'succeeded', 'dead'];

function readState(value: SqlRow[string] | undefined): DeliveryState {
  const state = STATES.find((each) => each === value);
  if (state === undefined) throw new Error(`restwright_deliveries has the unknown state ${String(value)}`);
  return state;
}
