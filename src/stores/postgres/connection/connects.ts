import type { Model } from '../../../model/model.ts';
import { profileModel } from '../../sql/schema/model-profile.ts';
import { connectPostgres, type SessionSettings } from '../driver/pg.ts';
import { parseDatabaseUrl } from '../driver/database-url.ts';
import type { SharedTables } from '../side-by-side/shared-tables.ts';
import type { DatabaseAccess } from './open-session.ts';
import { sessionName } from './session-name.ts';
import type { OpenSession } from './sessions.ts';

/** Makes a function that opens sessions with settings. */
export type Connects = (settings: Omit<SessionSettings, 'name'>) => OpenSession;

/** The sessions of instances that serve a model. */
export interface ModelSessions {
  readonly model: Model;
  /** Null where no older model has rows of another form. */
  readonly shared: SharedTables | null;
}

/** Opens sessions with a server. @throws {InvalidDatabaseUrl} */
export function connects({ url, password }: DatabaseAccess, { model, shared }: ModelSessions): Connects {
  const parsed = parseDatabaseUrl(url, password);
  const name = sessionName(model.name, parsed.schema, profileModel(model));
  return (settings) => () => connectPostgres(parsed, { ...settings, name, newer: shared?.names ?? null });
}
