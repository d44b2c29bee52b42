import { chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { ClaimedDelivery, Deliveries, DeliveryResult } from '../../store.ts';
import type { Dialect, SqlRow, Statement } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import { type Prepare, prepare } from '../system-statements.ts';
import { parseEvent } from './event-log.ts';

/** The statements that read and write `restwright_deliveries`. */
interface DeliveryStatements {
  readonly enqueue: Prepare;
  readonly isAnyDue: Prepare;
  readonly claim: Prepare;
  readonly finish: Prepare;
  readonly retry: Prepare;
}

function deliveryStatements(dialect: Dialect): DeliveryStatements {
  return {
    // One statement for any number of endpoints.
    enqueue: prepare(
      dialect,
      `insert into restwright_deliveries
select value, ?, 'waiting', 0, ?, 0 from ${dialect.textRows('?')} where true
on conflict (endpoint, sequence) do nothing`,
    ),
    isAnyDue: prepare(
      dialect,
      `select 1 from restwright_deliveries
where state = 'waiting' and due <= ? and leased_until <= ? limit 1`,
    ),
    // One statement selects and leases, so that no two dispatchers hold the same delivery.
    claim: prepare(
      dialect,
      `update restwright_deliveries
set leased_until = ?, attempts = attempts + 1
where (endpoint, sequence) in (
  select endpoint, sequence from restwright_deliveries
  where state = 'waiting' and due <= ? and leased_until <= ?
  order by due, sequence limit ?
)
returning endpoint, sequence, attempts, due,
  (select envelope from restwright_events as event where event.sequence = restwright_deliveries.sequence) as envelope`,
    ),
    finish: prepare(
      dialect,
      'update restwright_deliveries set state = ?, leased_until = 0 where endpoint = ? and sequence = ?',
    ),
    retry: prepare(
      dialect,
      'update restwright_deliveries set due = ?, leased_until = 0 where endpoint = ? and sequence = ?',
    ),
  };
}

/** Deliveries of events. An attempt is counted when it is claimed, so that one that crashes the process is not repeated for ever. */
export class SqlDeliveries implements Deliveries {
  readonly #client: SqlClient;
  readonly #statements: DeliveryStatements;

  constructor(client: SqlClient, dialect: Dialect) {
    this.#client = client;
    this.#statements = deliveryStatements(dialect);
  }

  async enqueue(sequence: number, endpoints: readonly string[], at: number): Promise<void> {
    await this.#client.execute(this.#statements.enqueue(sequence, at, JSON.stringify(endpoints)));
  }

  claim(now: number, leaseUntil: number, limit: number): MaybePromise<readonly ClaimedDelivery[]> {
    // Dispatchers poll: a read that finds nothing does not block writers.
    const due = this.#client.get(this.#statements.isAnyDue(now, now));
    return chain(due, (row) => (row === null ? [] : this.#lease(this.#statements.claim(leaseUntil, now, now, limit))));
  }

  async #lease(claim: Statement): Promise<readonly ClaimedDelivery[]> {
    const rows = await this.#client.execute(claim);
    return rows
      .map((row) => ({ due: Number(row['due']), delivery: claimedDelivery(row) }))
      .sort((one, other) => one.due - other.due || one.delivery.sequence - other.delivery.sequence)
      .map(({ delivery }) => delivery);
  }

  async settle(endpoint: string, sequence: number, result: DeliveryResult): Promise<void> {
    const { finish, retry } = this.#statements;
    await this.#client.execute(
      result.kind === 'retry' ? retry(result.at, endpoint, sequence) : finish(result.kind, endpoint, sequence),
    );
  }
}

function claimedDelivery(row: SqlRow): ClaimedDelivery {
  return {
    endpoint: String(row['endpoint']),
    sequence: Number(row['sequence']),
    attempts: Number(row['attempts']) - 1,
    event: parseEvent(row['envelope']),
  };
}
