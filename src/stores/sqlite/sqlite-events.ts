import type { EventEnvelope } from '../../conventions/event.ts';
import type { ClaimedDelivery, Deliveries, DeliveryResult, EventLog } from '../store.ts';
import type { SqlValue } from '../sql/dialect.ts';
import { sqlite } from './dialect.ts';
import type { MainConnection } from './connection/main-connection.ts';
import type { BusyRetry } from './busy/busy-retry.ts';

const AFTER = `select envelope from restwright_events where sequence > ? order by sequence limit ${sqlite.placeholder(1)}`;

/** One statement for any number of endpoints. */
const ENQUEUE = `insert into restwright_deliveries
select value, ?, 'waiting', 0, ?, 0 from json_each(?) where true
on conflict (endpoint, sequence) do nothing`;

const DUE = `select 1 from restwright_deliveries
where state = 'waiting' and due <= ? and leased_until <= ? limit 1`;

/** Takes and returns in one statement, so that no two dispatchers hold the same delivery. */
const CLAIM = `update restwright_deliveries
set leased_until = ?, attempts = attempts + 1
where (endpoint, sequence) in (
  select endpoint, sequence from restwright_deliveries
  where state = 'waiting' and due <= ? and leased_until <= ?
  order by due, sequence limit ${sqlite.placeholder(1)}
)
returning endpoint, sequence, attempts, due,
  (select envelope from restwright_events as event where event.sequence = restwright_deliveries.sequence) as envelope`;

const SETTLE = 'update restwright_deliveries set state = ?, leased_until = 0 where endpoint = ? and sequence = ?';
const RETRY = 'update restwright_deliveries set due = ?, leased_until = 0 where endpoint = ? and sequence = ?';

function parse(text: unknown): EventEnvelope {
  const event: EventEnvelope = JSON.parse(String(text));
  return event;
}

/** The log of events in SQLite: sequences are drawn under the write lock, so that they become visible in order (EVT-3). */
export class SqliteEventLog implements EventLog {
  readonly #main: MainConnection;

  constructor(main: MainConnection) {
    this.#main = main;
  }

  after(sequence: number, limit: number): readonly EventEnvelope[] {
    return this.#main
      .reader()
      .all(AFTER, [sequence, limit])
      .map((read) => parse(read['envelope']));
  }

  lastSequence(): number {
    return Number(this.#main.reader().get('select max(sequence) as last from restwright_events', [])?.['last'] ?? 0);
  }
}

/** Deliveries in SQLite. An attempt counts from the claim, so that one which ends the process is not made for ever. */
export class SqliteDeliveries implements Deliveries {
  readonly #main: MainConnection;
  readonly #patience: BusyRetry;

  constructor(main: MainConnection, patience: BusyRetry) {
    this.#main = main;
    this.#patience = patience;
  }

  async enqueue(sequence: number, endpoints: readonly string[], at: number): Promise<void> {
    await this.#run(ENQUEUE, [sequence, at, JSON.stringify(endpoints)]);
  }

  async claim(now: number, leaseUntil: number, limit: number): Promise<readonly ClaimedDelivery[]> {
    // Whoever looks often must not keep others from writing.
    if (this.#main.reader().get(DUE, [now, now]) === null) return [];
    const claimed = await this.#patience.run(() => this.#main.writer().all(CLAIM, [leaseUntil, now, now, limit]));
    return claimed
      .map((read) => ({
        due: Number(read['due']),
        delivery: {
          endpoint: String(read['endpoint']),
          sequence: Number(read['sequence']),
          attempts: Number(read['attempts']) - 1,
          event: parse(read['envelope']),
        },
      }))
      .sort((one, other) => one.due - other.due || one.delivery.sequence - other.delivery.sequence)
      .map(({ delivery }) => delivery);
  }

  async settle(endpoint: string, sequence: number, result: DeliveryResult): Promise<void> {
    switch (result.kind) {
      case 'succeeded':
      case 'dead':
        await this.#run(SETTLE, [result.kind, endpoint, sequence]);
        return;
      case 'retry':
        await this.#run(RETRY, [result.at, endpoint, sequence]);
    }
  }

  #run(text: string, values: readonly SqlValue[]): Promise<number> {
    return this.#patience.run(() => this.#main.writer().run(text, values));
  }
}
