import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { skipWithout } from '../installed-programs.ts';
import { closeBrowser, type ConsoleServer, openPage, startConsole } from './browser.ts';

const skip = skipWithout('chromium');

/** An issuer that signs everyone in, or refuses. */
interface Issuer {
  readonly url: string;
  /** Seconds that its tokens are said to live. */
  lifetime: number;
  /** The error that it sends back in place of a code; null for none. */
  refusal: string | null;
  close(): Promise<void>;
}

let issuer: Issuer;
let server: ConsoleServer;

describe('the console: sign-in, keys, health and versions', { skip }, () => {
  before(async () => {
    issuer = await startIssuer(await freePort());
    server = await startConsole(writeModel(issuer.url));
  });
  after(async () => {
    await closeBrowser();
    await issuer.close();
    await server.close();
  });

  it('signs in by authorization code with PKCE, and comes back to the view that was open', async () => {
    issuer.lifetime = 3600;
    await using visit = await openPage(`${server.url}#/keys`);
    const { page } = visit;
    await signIn(page);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(page.url(), `${server.url}#/keys`);
    assert.equal(await page.evaluate('JSON.stringify([{...sessionStorage}, {...localStorage}])'), '[{},{}]');
    assert.deepEqual(visit.problems, []);
  });

  it('says why the issuer has refused', async () => {
    issuer.refusal = 'access_denied';
    await using visit = await openPage(server.url);
    await signIn(visit.page);
    assert.match((await visit.page.getByRole('alert').textContent()) ?? '', /access_denied/);
    issuer.refusal = null;
  });

  it('keeps what was typed when the token ends, and signs in by another window', async () => {
    issuer.lifetime = 3;
    await using visit = await openPage(`${server.url}#/keys`);
    const { page } = visit;
    await signIn(page);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('nightly import');
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    issuer.lifetime = 3600;
    await again.getByRole('button', { name: /^Sign in at/ }).click();
    await again.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'nightly import');
  });

  it('creates a key that is shown once, lists it, and revokes it', async () => {
    await using visit = await openPage(`${server.url}#/keys`);
    const { page } = visit;
    await signIn(page);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Choose at least one scope.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('nightly import');
    await page.getByRole('checkbox', { name: 'books:read' }).check();
    await page.keyboard.press('Enter');
    const key = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    const books = await fetch(`${server.api}/books`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(books.status, 200);
    await page.getByRole('button', { name: 'I have kept the key' }).click();
    const row = page.getByRole('row', { name: /nightly import/ });
    assert.match((await row.textContent()) ?? '', new RegExp(key.slice(0, 11)));
    await row.getByRole('button', { name: 'Revoke nightly import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    const refused = await fetch(`${server.api}/books`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(refused.status, 401);
    assert.deepEqual(visit.problems, []);
  });

  it('shows that the server is ready, and its rates as plots and as a table', async () => {
    await using visit = await openPage(`${server.url}#/health`);
    const { page } = visit;
    await signIn(page);
    await page.getByText('The server is ready.').waitFor();
    await page.getByRole('img', { name: /^Requests per second: / }).waitFor();
    await page.getByText('As a table').click();
    await page.getByRole('columnheader', { name: 'Webhooks waiting' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Pause', pressed: true }).waitFor();
    assert.deepEqual(visit.problems, []);
  });

  it('lists the versions with the dates of their ends', async () => {
    await using visit = await openPage(`${server.url}#/versions`);
    const { page } = visit;
    await signIn(page);
    const row = page.getByRole('row', { name: /1\.4\.0/ });
    await row.waitFor();
    assert.match((await row.textContent()) ?? '', /Jun 1, 2027/);
    assert.equal(await row.getByRole('link').getAttribute('href'), 'https://docs.example.com/books-2');
  });
});

async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Sign in at/ }).click();
}

function writeModel(url: string): string {
  return `
name: shop
version: 2.0.0
default_version: 2
auth:
  api_keys: true
  issuers: [{ name: id, issuer: '${url}', jwks_uri: '${url}/jwks', audience: shop }]
console: { client_id: console, issuer: id, scopes: [openid] }
resources:
  books:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
versions:
  1.4.0:
    deprecated: 2026-06-01
    sunset: 2027-06-01
    deprecation_page: https://docs.example.com/books-2
    changes: [{ resource: books, rename: { title: name } }]
`;
}

async function startIssuer(port: number): Promise<Issuer> {
  const url = `http://127.0.0.1:${port}`;
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' };
  let challenge: string | null = null;
  const issue = async (request: IncomingMessage): Promise<object> => {
    const verifier = new URLSearchParams(await text(request)).get('code_verifier') ?? '';
    if (createHash('sha256').update(verifier).digest('base64url') !== challenge) return { error: 'invalid_grant' };
    const scope = 'books:read books:write api-keys:read api-keys:write metrics:read';
    const token = await new SignJWT({ scope, client_id: 'console', jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'a', typ: 'at+jwt' })
      .setIssuer(url)
      .setSubject('ann')
      .setAudience('shop')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: started.lifetime };
  };
  const documents: Readonly<Record<string, (request: IncomingMessage) => object | Promise<object>>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
    }),
    '/jwks': () => ({ keys: [jwk] }),
    '/token': issue,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (pathname === '/authorize') {
      challenge = searchParams.get('code_challenge');
      const result = started.refusal === null ? { code: 'c' } : { error: started.refusal };
      const back = new URLSearchParams({ ...result, state: searchParams.get('state') ?? '' });
      response.writeHead(302, { Location: `${searchParams.get('redirect_uri')}?${back.toString()}` }).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' });
    response.end(JSON.stringify((await documents[pathname]?.(request)) ?? {}));
  };
  const http = createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
  await once(http, 'listening');
  const started: Issuer = { url, lifetime: 3600, refusal: null, close: () => closeServer(http) };
  return started;
}

async function closeServer(http: Server): Promise<void> {
  http.closeAllConnections();
  http.close();
  await once(http, 'close');
}
