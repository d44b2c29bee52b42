import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { SignJWT } from 'jose';
import { buildConsole, programConsole } from '../../scripts/command.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { createMetrics } from '../../src/observe/metrics/metrics.ts';
import { startApi } from '../../src/start-api.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const ISSUER = 'https://id.example.com';

/** The line of a model by which callers with a {@link token} are accepted. */
export const AUTH = `auth: { api_keys: true, issuers: [ { issuer: '${ISSUER}', audience: shop, hs256_secret: ${SECRET} } ] }`;

/** A server with the console of this checkout. */
export interface ServedConsole extends AsyncDisposable {
  /** The URL of the page. */
  readonly url: string;
  readonly origin: string;
}

/** The files of a console. */
export interface BuiltConsole {
  readonly folder: string;
  /** Removes what was built for the caller alone. */
  readonly remove: () => void;
}

/** Takes the console of a whole run (`scripts/test.ts`), or else builds one into a folder of its own. */
export function findConsole(): BuiltConsole {
  if (process.env['RESTWRIGHT_BUILT_PROGRAM'] !== undefined) return { folder: programConsole, remove: () => undefined };
  const folder = mkdtempSync(path.join(tmpdir(), 'console-build-'));
  buildConsole(folder);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/**
 * Serves a model with a console.
 *
 * @param folder that of a build
 * @param isDevelopment true if webhooks may go to this machine, and a token may be pasted. Default: false
 */
export async function serveConsole(model: string, folder: string, isDevelopment = false): Promise<ServedConsole> {
  const compiled = loadModel({ file: 'model.yaml', text: model }).model;
  const api = await startApi({
    model: compiled,
    database: ':memory:',
    console: { folder },
    consolePaste: isDevelopment,
    loopbackWebhooks: isDevelopment,
    metrics: createMetrics(),
    serveMetrics: true,
    observe: () => undefined,
  });
  const server = await serveHttp({ api: api.api, port: 0 });
  const close = async (): Promise<void> => {
    await server.close();
    await api.close();
  };
  const origin = `http://127.0.0.1:${server.port}`;
  return { url: `${origin}/console`, origin, [Symbol.asyncDispose]: close };
}

/** A token of a caller. @param scopes with blanks between them @param subject who it is */
export async function token(scopes: string, subject = 'ann'): Promise<string> {
  return await new SignJWT({ scope: scopes, client_id: 'test' })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setIssuer(ISSUER)
    .setAudience('shop')
    .setSubject(subject)
    .setJti('1')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET));
}
