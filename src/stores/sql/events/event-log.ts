import type { EventEnvelope } from '../../../conventions/event.ts';
import { chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { EventLog } from '../../store.ts';
import type { SqlValue } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import type { SystemStatements } from '../system-statements.ts';

/** The event log. Sequences are assigned while the write lock is held, so that they become visible in order (EVT-3). */
export class SqlEventLog implements EventLog {
  readonly #client: SqlClient;
  readonly #system: SystemStatements;

  constructor(client: SqlClient, system: SystemStatements) {
    this.#client = client;
    this.#system = system;
  }

  after(sequence: number, limit: number): MaybePromise<readonly EventEnvelope[]> {
    const rows = this.#client.all(this.#system.eventsAfter(sequence, limit));
    return chain(rows, (read) => read.map(({ envelope }) => parseEvent(envelope)));
  }

  lastSequence(): MaybePromise<number> {
    return chain(this.#client.get(this.#system.lastSequence()), (row) => Number(row?.['last'] ?? 0));
  }
}

/** The event of an `envelope` column. */
export function parseEvent(envelope: SqlValue | undefined): EventEnvelope {
  const event: EventEnvelope = JSON.parse(String(envelope));
  return event;
}
