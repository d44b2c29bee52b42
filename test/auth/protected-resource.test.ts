import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import * as oauth from 'oauth4webapi';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { startApi } from '../../src/start-api.ts';
import { JWKS, token } from './signing.ts';

const ISSUER = 'https://id.example.com/';
const now = Math.floor(Date.now() / 1_000);
const claims = { exp: now + 300, iat: now, scope: 'items:read' };

/** Starts a server that accepts tokens of one issuer. @returns its origin */
async function serve(test: TestContext, publicUrl: string | null = null): Promise<string> {
  const issuer = { issuer: ISSUER, audience: 'https://api.example.com', jwks: { keys: JWKS } };
  const items = { schema: { type: 'object', properties: { name: { type: 'string' } } } };
  const declared = { name: 'shop', auth: { issuers: [issuer] }, resources: { items } };
  const text = JSON.stringify(publicUrl === null ? declared : { ...declared, public_url: publicUrl });
  const { model } = loadModel({ text });
  let port = 0;
  const origin = (): string => `http://127.0.0.1:${port}`;
  const { api, close } = await startApi({ model, database: ':memory:', observe: () => undefined, origin });
  const server = await serveHttp({ api, port: 0 });
  ({ port } = server);
  test.after(async () => {
    await server.close();
    await close();
  });
  return origin();
}

/** A request as the library hands it over. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  readonly body?: unknown;
}

async function send(url: string, { headers, method, body }: Sent): Promise<Response> {
  return fetch(url, { headers, method, body: typeof body === 'string' ? body : null });
}

/** The challenges to a client that sends a token; null sends none. */
async function findChallenges(
  url: string,
  bearer: string | null,
  method = 'GET',
): Promise<readonly oauth.WWWAuthenticateChallenge[]> {
  const withoutToken = async (to: string, { headers, ...sent }: Sent): Promise<Response> => {
    const { authorization: _token, ...others } = headers;
    return send(to, { ...sent, headers: bearer === null ? others : headers });
  };
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: withoutToken };
  const fields = new Headers({ 'Content-Type': 'application/json' });
  const body = method === 'POST' ? '{}' : null;
  try {
    await oauth.protectedResourceRequest(bearer ?? 'none', method, new URL(url), fields, body, options);
  } catch (error) {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
    return error.cause;
  }
  return [];
}

describe('a client by oauth4webapi', () => {
  it('[AUTH-8a] [AUTH-3a] finds the metadata that a challenge names, and in them the issuer', async (test) => {
    const origin = await serve(test);
    const [challenge, ...others] = await findChallenges(`${origin}/api/v1/items`, null);
    assert.deepEqual([challenge?.scheme, challenge?.parameters.realm, others], ['bearer', 'shop', []]);
    assert.equal(challenge?.parameters.error, undefined);
    const resource = new URL(`${origin}/api`);
    const requested: string[] = [];
    const recorded = async (url: string, sent: Sent): Promise<Response> => {
      requested.push(url);
      return send(url, sent);
    };
    const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: recorded };
    const response = await oauth.resourceDiscoveryRequest(resource, options);
    assert.equal(response.headers.get('content-type'), 'application/json');
    const found = await oauth.processResourceDiscoveryResponse(resource, response);
    assert.deepEqual(requested, [challenge?.parameters.resource_metadata]);
    assert.deepEqual(found.authorization_servers, [ISSUER]);
    assert.deepEqual(found['bearer_methods_supported'], ['header']);
    assert.deepEqual(found.scopes_supported, ['events:read', 'items:read', 'items:write']);
  });

  it('[AUTH-3a] reads why its token was refused, and which scope it lacks', async (test) => {
    const url = `${await serve(test)}/api/v1/items`;
    const expected: readonly (readonly [method: string, bearer: string, error: string | undefined, scope?: string])[] =
      [
        ['GET', 'no.token.atall', 'invalid_token'],
        ['GET', token({ claims: { ...claims, exp: now - 100 } }), 'invalid_token'],
        ['POST', token({ claims }), 'insufficient_scope', 'items:write'],
      ];
    for (const [method, bearer, error, scope] of expected) {
      const [challenge] = await findChallenges(url, bearer, method);
      const { parameters } = challenge ?? assert.fail('no challenge');
      assert.deepEqual([parameters.error, parameters.scope], [error, scope]);
      assert.equal(parameters.resource_metadata, `${new URL(url).origin}/.well-known/oauth-protected-resource/api`);
    }
    assert.deepEqual(await findChallenges(url, token({ claims })), []);
  });

  it('[AUTH-8a] refuses metadata of another resource: those of a public URL, asked for by the address', async (test) => {
    const origin = await serve(test, 'https://api.example.com');
    const direct = new URL(`${origin}/api`);
    const options = { [oauth.allowInsecureRequests]: true };
    const read = async (): Promise<Response> => oauth.resourceDiscoveryRequest(direct, options);
    await assert.rejects(oauth.processResourceDiscoveryResponse(direct, await read()), oauth.OperationProcessingError);
    const known = new URL('https://api.example.com/api');
    assert.equal((await oauth.processResourceDiscoveryResponse(known, await read())).resource, known.href);
  });
});
