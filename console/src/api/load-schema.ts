import type { ApiSchema } from '../schema/api-schema.ts';
import { readSchema } from '../schema/read-schema.ts';
import type { ConsoleConfig } from '../session/config.ts';
import type { Session } from '../session/session.ts';

/** The result of reading the description: it may need a caller. */
export type LoadedSchema = { readonly schema: ApiSchema } | { readonly schema: null; readonly refused: boolean };

/**
 * Reads what the API serves.
 *
 * @returns no schema if the server wants a caller first
 * @throws {Error} if the server does not answer, or with something else
 */
export async function loadSchema(config: ConsoleConfig, session: Session): Promise<LoadedSchema> {
  const { token } = session.read();
  const headers = { Accept: 'application/json', ...(token === null ? {} : { Authorization: `Bearer ${token}` }) };
  const response = await fetch(config.openapi, { headers });
  if (response.status === 401 || response.status === 403) return { schema: null, refused: token !== null };
  if (!response.ok) throw new Error(`${config.openapi}: ${response.status}`);
  return { schema: readSchema(await response.json()) };
}
