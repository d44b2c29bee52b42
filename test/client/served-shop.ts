import { serveHttp } from '../../src/http/serve-http.ts';
import { ALL_SCOPES, fakeTokens } from '../pipeline/support/fake-tokens.ts';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { type ObservedClients, observedClients } from './observed-client.ts';
import { model } from './shop.ts';

/** An API that listens, with its clients. */
export interface ServedShop extends AsyncDisposable, ObservedClients {
  /** The number of events since the last call. */
  newEvents(): Promise<number>;
}

const AUTH = {
  issuers: [{ issuer: 'https://id.example.com', audience: 'test', hs256_secret: '0123456789abcdef0123456789abcdef' }],
};

/** Serves the shop on a free port. @param origins of pages that may use it */
export async function serveShop(...origins: readonly string[]): Promise<ServedShop> {
  const cors = origins.length === 0 ? {} : { cors: { origins } };
  const definition = { ...model.definition, auth: AUTH, limits: { rate: false }, ...cors };
  const under = await apiUnderTest({ ...model, definition }, { tokens: fakeTokens });
  const server = await serveHttp({ api: under.api, port: 0 });
  return {
    ...observedClients(`http://127.0.0.1:${server.port}/api`, ALL_SCOPES),
    newEvents: async () => (await under.newEvents()).length,
    async [Symbol.asyncDispose]() {
      await server.close();
      await under.close();
    },
  };
}
