import type { EventEnvelope } from '../../../conventions/event.ts';
import { chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { EventLog, EventQuery, LoggedEvent } from '../../store.ts';
import type { Dialect, SqlRow } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import type { SystemStatements } from '../system-statements.ts';
import { type EventStatements, eventStatements } from './event-statements.ts';

/** The event log. Sequences are assigned while the write lock is held, so that they become visible in order (EVT-3). */
export class SqlEventLog implements EventLog {
  readonly #client: SqlClient;
  readonly #system: Pick<SystemStatements, 'lastSequence'>;
  readonly #statements: EventStatements;

  constructor(client: SqlClient, system: Pick<SystemStatements, 'lastSequence'>, dialect: Dialect) {
    this.#client = client;
    this.#system = system;
    this.#statements = eventStatements(dialect);
  }

  after(sequence: number, limit: number): MaybePromise<readonly EventEnvelope[]> {
    return chain(this.list({ after: sequence, limit }), (events) => events.map(({ event }) => event));
  }

  list({ after, limit }: EventQuery): MaybePromise<readonly LoggedEvent[]> {
    return chain(this.#client.all(this.#statements.after(after, limit)), (rows) => rows.map(loggedEvent));
  }

  lookup(sequences: readonly number[]): MaybePromise<readonly LoggedEvent[]> {
    const texts = sequences.map(String);
    return chain(this.#client.all(this.#statements.of(JSON.stringify(texts))), (rows) => rows.map(loggedEvent));
  }

  lastSequence(): MaybePromise<number> {
    return chain(this.#client.get(this.#system.lastSequence()), (row) => Number(row?.['last'] ?? 0));
  }
}

function loggedEvent(row: SqlRow): LoggedEvent {
  const event: EventEnvelope = JSON.parse(String(row['envelope']));
  return { sequence: Number(row['sequence']), event };
}
