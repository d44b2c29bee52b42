import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { UnusableKeys } from '../../src/auth/key-set.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi, type StartApiOptions } from '../../src/start-api.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { json, startIssuer } from './issuer-server.ts';
import { JWKS, token } from './signing.ts';

const now = Math.floor(Date.now() / 1_000);
const TOKEN = token({ claims: { exp: now + 300, iat: now, scope: 'items:read items:write' } });

type Send = (token: string | null) => Promise<Response>;

async function open(test: TestContext, keys: string, options: Partial<StartApiOptions> = {}): Promise<Send> {
  const issuer = `issuer: https://id.example.com/, audience: https://api.example.com, ${keys}`;
  const text = `name: shop\nauth: { issuers: [{ ${issuer} }] }\nresources: { items: { schema: { type: object } } }\n`;
  const { model } = loadModel({ text });
  const { api, close } = await startApi({ model, database: ':memory:', observe: () => undefined, ...options });
  test.after(close);
  const send = createFetchHandler(api);
  return async (bearer) => {
    const headers = bearer === null ? {} : { Authorization: `Bearer ${bearer}` };
    return send(new Request('http://localhost/api/v1/items', { headers }));
  };
}

describe('startApi with auth', () => {
  it('[AUTH-2b] verifies tokens by a file in the folder of the model', async (test) => {
    const folder = temporaryDirectory(test);
    writeFileSync(path.join(folder, 'keys.json'), JSON.stringify({ keys: JWKS }));
    const send = await open(test, 'jwks_file: keys.json', { folder });
    assert.equal((await send(TOKEN)).status, 200);
    assert.equal((await send(TOKEN)).status, 200);
    assert.equal((await send(null)).status, 401);
    const refused = await send(`${TOKEN.slice(0, -4)}AAAA`);
    assert.equal(refused.status, 401);
    assert.match(await refused.text(), /AUTH_TOKEN_INVALID/);
    const expired = await send(token({ claims: { exp: now - 100 } }));
    assert.match(await expired.text(), /AUTH_TOKEN_EXPIRED/);
  });

  it('[AUTH-2b] rejects with UnusableKeys where the file cannot be used', async (test) => {
    await assert.rejects(open(test, 'jwks_file: no-such.json'), UnusableKeys);
  });

  it('[AUTH-2b] is 503 AUTH_UNAVAILABLE while the keys of the issuer cannot be read', async (test) => {
    const issuer = await startIssuer(test, (response) => response.writeHead(500).end());
    const send = await open(test, `jwks_uri: ${issuer.url}`);
    const response = await send(TOKEN);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /AUTH_UNAVAILABLE/);
    assert.equal((await send(null)).status, 401);
  });

  it('[AUTH-2b] fetches with the function that is handed in', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const fetched: string[] = [];
    const recorded: typeof fetch = (input, init) => {
      fetched.push(new Request(input).url);
      return fetch(issuer.url, init);
    };
    const send = await open(test, 'jwks_uri: https://id.example.com/jwks', { fetch: recorded });
    assert.equal((await send(TOKEN)).status, 200);
    assert.deepEqual(fetched, ['https://id.example.com/jwks']);
  });
});
