import Database from 'better-sqlite3';
import type { SqlRow } from '../src/stores/sql/dialect.ts';
import { readShapes, StoredEvent } from '../src/stores/sql/events/event-codec.ts';
import { eventStatements } from '../src/stores/sql/events/event-statements.ts';
import { sqlite } from '../src/stores/sqlite/dialect/sqlite-dialect.ts';
import type { LoggedEvent } from '../src/stores/store.ts';

const ALL = [0, Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** The event log of a database file that no process of ours needs to have open, in its order. */
export function storedEvents(file: string): readonly LoggedEvent[] {
  const database = new Database(file, { readonly: true });
  try {
    const shapes = readShapes(null);
    const { text, values } = eventStatements(sqlite).window(...ALL);
    return database
      .prepare<unknown[], SqlRow>(text)
      .all(...values)
      .map((row) => new StoredEvent(row, shapes));
  } finally {
    database.close();
  }
}
