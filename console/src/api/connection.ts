import { createContext, use } from 'react';
import type { ApiSchema } from '../schema/api-schema.ts';
import type { ConsoleConfig } from '../session/config.ts';
import type { Session } from '../session/session.ts';
import type { ApiCalls } from './calls.ts';

/** The API, and how to call it: every view needs both. */
export interface Connection {
  readonly config: ConsoleConfig;
  readonly schema: ApiSchema;
  readonly session: Session;
  readonly calls: ApiCalls;
}

export const ConnectionContext = createContext<Connection | null>(null);

/**
 * The connection of the page.
 *
 * @throws {Error} outside of the shell
 */
export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (connection === null) throw new Error('useConnection needs a ConnectionContext');
  return connection;
}
