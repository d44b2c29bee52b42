import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import * as oauth from 'oauth4webapi';
import { openVerifier } from '../../src/auth/open-verifier.ts';
import type { JsonObject } from '../../src/conventions/json/json.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi } from '../../src/start-api.ts';

const API = 'https://api.example.com';
const SECRET = 'the secret of the client';

/** The part of the library that is used here; it has no types of its own. */
interface OidcLibrary {
  readonly default: new (issuer: string, configuration: object) => { callback(): RequestListener };
}
const LIBRARY: string = 'oidc-provider';

const privateKey = (kid: string): JsonObject => ({
  ...(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JsonObject),
  kid,
  alg: 'ES256',
  use: 'sig',
});

const configuration = (keys: readonly JsonObject[]): object => ({
  jwks: { keys },
  clients: [
    {
      client_id: 'robot',
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'items:read items:write',
        audience: API,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

/** An issuer whose keys can be replaced while it runs; the first one signs. */
async function startProvider(
  test: TestContext,
  keys: readonly JsonObject[],
): Promise<{ readonly url: string; rotate(next: readonly JsonObject[]): void }> {
  const { default: Provider }: OidcLibrary = await import(LIBRARY);
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rotate = (next: readonly JsonObject[]): void => {
    listener = new Provider(url, configuration(next)).callback();
  };
  rotate(keys);
  return { url, rotate };
}

const insecure = { [oauth.allowInsecureRequests]: true };

/** Gets tokens as a client of the issuer does. */
async function discoverClient(url: string): Promise<(scope: string) => Promise<string>> {
  const issuer = new URL(url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  const client: oauth.Client = { client_id: 'robot' };
  return async (scope) => {
    const authentication = oauth.ClientSecretBasic(SECRET);
    const parameters = { scope, resource: API };
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, insecure);
    return (await oauth.processClientCredentialsResponse(server, client, response)).access_token;
  };
}

/**
 * The issuers that the metadata of a server name (RFC 9728). The server is behind its public URL for its clients, here
 * it is asked directly.
 */
async function discoverIssuers(origin: string): Promise<readonly string[]> {
  const resource = new URL('/api', API);
  const metadata = await oauth.resourceDiscoveryRequest(new URL('/api', origin), insecure);
  return (await oauth.processResourceDiscoveryResponse(resource, metadata)).authorization_servers ?? [];
}

describe('an issuer by oidc-provider', () => {
  it('[AUTH-2a] [AUTH-2b] [AUTH-8a] is found by the metadata of the API and by discovery, and rotates its keys while requests run', async (test) => {
    const [first, second, third] = [privateKey('1'), privateKey('2'), privateKey('3')];
    const issuer = await startProvider(test, [first]);
    const text = `name: shop
public_url: ${API}
auth: { issuers: [{ name: oidc, issuer: '${issuer.url}', audience: '${API}', discovery: true }] }
resources: { items: { schema: { type: object, properties: { name: { type: string } } } } }
`;
    const { model } = loadModel({ text });
    assert.ok(model.auth !== null);
    let skipped = 0;
    const failures: unknown[] = [];
    const tokens = await openVerifier({
      auth: model.auth,
      folder: '.',
      now: () => Date.now(),
      elapsed: () => performance.now() + skipped,
      fetch,
      observe: (observation) => void failures.push(observation),
    });
    const { api, close } = await startApi({ model, tokens, database: ':memory:', observe: () => undefined });
    const server = await serveHttp({ api, port: 0 });
    test.after(async () => {
      await server.close();
      await close();
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const found = await discoverIssuers(origin);
    assert.deepEqual(found, [issuer.url]);
    const getToken = await discoverClient(found[0] ?? '');
    const request = async (token: string, method = 'GET'): Promise<Response> => {
      const headers = new Headers({ 'Content-Type': 'application/json' });
      const body = method === 'POST' ? '{"name":"a"}' : null;
      const url = new URL('/api/v1/items', origin);
      try {
        return await oauth.protectedResourceRequest(token, method, url, headers, body, insecure);
      } catch (error) {
        // The library rejects where a response has a challenge.
        assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
        return error.response;
      }
    };

    const reader = await getToken('items:read');
    assert.equal((await request(reader)).status, 200);
    assert.equal((await request(reader, 'POST')).status, 403);
    assert.equal((await request(await getToken('items:write'), 'POST')).status, 201);
    const verdict = await tokens.verify(reader);
    assert.ok(verdict.kind === 'verified');
    assert.deepEqual(
      [verdict.token.issuer, verdict.token.client, [...verdict.token.scopes]],
      ['oidc', 'robot', ['items:read']],
    );

    const stop = new AbortController();
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) statuses.push((await request(await getToken('items:read'))).status);
    });
    const progress = async (count: number): Promise<void> => {
      const enough = statuses.length + count;
      while (statuses.length < enough) statuses.push((await request(await getToken('items:read'))).status);
    };
    await progress(10);
    for (const keys of [[second, first], [third, second], [third]]) {
      skipped += 30_000;
      issuer.rotate(keys);
      await progress(20);
    }
    stop.abort();
    await Promise.all(load);
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await request(reader)).status, 401, 'its key was withdrawn');
    assert.deepEqual(failures, []);
  });
});
