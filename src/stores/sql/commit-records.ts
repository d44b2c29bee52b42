import type { StoredIdempotencyRecord } from '../../plan/write-unit.ts';
import type { Bookmarks, IdempotencyRecords } from '../store.ts';
import type { SqlClient } from './sql-client.ts';
import type { SystemStatements } from './system-statements.ts';

/** Reads bookmarks. */
export class SqlBookmarks implements Bookmarks {
  readonly #client: SqlClient;
  readonly #system: SystemStatements;

  constructor(client: SqlClient, system: SystemStatements) {
    this.#client = client;
    this.#system = system;
  }

  async get(name: string): Promise<string | null> {
    const row = await this.#client.get(this.#system.bookmark(name));
    return row === null ? null : String(row['value']);
  }
}

/** Reads idempotency records. */
export class SqlIdempotencyRecords implements IdempotencyRecords {
  readonly #client: SqlClient;
  readonly #system: SystemStatements;

  constructor(client: SqlClient, system: SystemStatements) {
    this.#client = client;
    this.#system = system;
  }

  async find(name: string, now: number): Promise<StoredIdempotencyRecord | null> {
    const row = await this.#client.get(this.#system.record(name, now));
    if (row === null) return null;
    const revisions: readonly number[] = JSON.parse(String(row['revisions']));
    const [request, outcome] = [String(row['request']), String(row['outcome'])];
    return { request, outcome, revisions, expiresAt: Number(row['expires_at']) };
  }
}
