import type { SqlRow, Statement } from '../../sql/dialect.ts';
import type { BatchRead, BatchRows, SqlClient } from '../../sql/sql-client.ts';
import type { PostgresClient } from '../read/postgres-client.ts';
import { boundedBatch } from '../read/read-batch.ts';
import { type DatabaseState, joinStates, NO_STATE } from '../commit/database-state.ts';
import type { Replicas } from './replicas.ts';

/** Runs the statements of one request that only reads: batches, such as of pages, on a replica where that can be. */
export class ReplicaClient implements SqlClient {
  readonly #primary: PostgresClient;
  readonly #replicas: Replicas;
  readonly #since: number;
  #state: DatabaseState | null = null;
  #seen = NO_STATE;

  /** @param since the iteration of the event loop in which the request arrived */
  constructor(primary: PostgresClient, replicas: Replicas, since: number) {
    this.#primary = primary;
    this.#replicas = replicas;
    this.#since = since;
  }

  /** The state in the snapshot of the last batch; null where that is not known. */
  get state(): DatabaseState | null {
    return this.#state;
  }

  /** A state that the request has seen: its batches have those commits, too. */
  see(state: DatabaseState): void {
    this.#seen = joinStates(state, this.#seen);
  }

  get(statement: Statement): Promise<SqlRow | null> {
    return this.#primary.get(statement);
  }

  all(statement: Statement): Promise<readonly SqlRow[]> {
    return this.#primary.all(statement);
  }

  async batch(read: BatchRead): Promise<BatchRows> {
    this.#primary.requireMatch();
    const found = await this.#replicas.read({
      batch: boundedBatch(read),
      effort: read.effort,
      since: this.#since,
      seen: this.#seen,
    });
    this.#state = found?.state ?? null;
    return found?.rows ?? this.#primary.batch(read);
  }

  execute(statement: Statement): Promise<readonly SqlRow[]> {
    return this.#primary.execute(statement);
  }
}
