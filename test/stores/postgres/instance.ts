import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { startApi, type StartedApi } from '../../../src/start-api.ts';
import { type ExchangeRow, rawRequest, seen, type Seen } from '../../pipeline/support/api-under-test.ts';
import type { ControlledPostgres } from '../../postgres-server.ts';
import { TcpRelay } from '../../tcp-relay.ts';

/** Texts of the client's choice, in order of their creation, and counters that are changed. */
export const NOTES = `
name: notes
version: 1.0.0
resources:
  notes:
    id: client
    schema:
      type: object
      properties: { text: { type: string }, count: { type: integer } }
`;

/** An instance of an API on PostgreSQL, in this process. */
export interface Instance extends Pick<StartedApi, 'api' | 'store' | 'close'> {
  readonly observations: Observation[];
  readonly send: (row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>) => Promise<Seen>;
}

/** Opens an instance, which delivers nothing. @param replicas the URLs of replicas */
export async function openInstance(
  database: string,
  text: string = NOTES,
  replicas: readonly string[] = [],
): Promise<Instance> {
  const observations: Observation[] = [];
  const observe = (observation: Observation): void => void observations.push(observation);
  const { model } = loadModel({ text });
  const opened = await startApi({ model, database, replicas, observe, dispatch: false });
  const send: Instance['send'] = async (row) => seen(await opened.api.handle(rawRequest(row)));
  return { ...opened, observations, send };
}

/** A relay in front of a server, and the URL of a schema through it. */
export async function relayTo(
  server: ControlledPostgres,
): Promise<{ readonly relay: TcpRelay; readonly url: (schema: string) => string }> {
  const relay = await TcpRelay.start({ path: server.socket });
  return { relay, url: (schema) => `postgres://postgres@127.0.0.1:${relay.port}/postgres?schema=${schema}` };
}
