import type { StoredIdempotencyRecord } from '../../plan/write-unit.ts';
import type { Bookmarks, IdempotencyRecords } from '../store.ts';
import type { SqlClient } from './sql-client.ts';
import type { SystemStatements } from './system-statements.ts';
import type { Tables } from './tables.ts';

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

type RecordTables = Pick<Tables, 'system' | 'recordForms'>;

/** Reads idempotency records, in the form of the model. */
export class SqlIdempotencyRecords implements IdempotencyRecords {
  readonly #client: SqlClient;
  readonly #tables: RecordTables;

  constructor(client: SqlClient, tables: RecordTables) {
    this.#client = client;
    this.#tables = tables;
  }

  async find(name: string, now: number): Promise<StoredIdempotencyRecord | null> {
    const row = await this.#client.get(this.#tables.system.record(name, now));
    if (row === null) return null;
    const revisions: readonly number[] = JSON.parse(String(row['revisions']));
    const [request, outcome] = [String(row['request']), this.#tables.recordForms.readOutcome(String(row['outcome']))];
    return { request, outcome, revisions, expiresAt: Number(row['expires_at']) };
  }
}
