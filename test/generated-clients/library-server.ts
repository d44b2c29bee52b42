import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { memberToken, SECRET } from '../auth/signing.ts';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** A server of model.ts, for the clients that are generated from its description. */
export interface LibraryServer {
  /** The body of `/openapi.json`. */
  readonly description: string;
  /** The origin of the server, and the token that the clients send. */
  readonly env: { readonly API_ORIGIN: string; readonly API_TOKEN: string };
}

/**
 * The output of every client. It creates twelve books, reads one, walks over their pages, changes it, and may not
 * change it again with the same ETag.
 */
export const REPORT = {
  created: { title: 'Volume 01', tags: ['old', 'red'], price: '19.90', unit: 'cm' },
  read: { title: 'Volume 01', author: 'Ibsen' },
  pages: [
    ['Volume 01', 'Volume 02', 'Volume 03', 'Volume 04', 'Volume 05'],
    ['Volume 06', 'Volume 07', 'Volume 08', 'Volume 09', 'Volume 10'],
    ['Volume 11', 'Volume 12'],
  ],
  changed: { title: 'Ghosts', is_same_revision: false },
  refused: { status: 412, code: 'BOOK_PRECONDITION_FAILED', details: 0 },
} as const;

/** Starts a server with an empty database, which ends with the test. */
export async function startLibrary(context: TestContext): Promise<LibraryServer> {
  const model = path.join(import.meta.dirname, 'model.ts');
  const server = startServer(temporaryDirectory(context), [model, '--port', '0'], { LIBRARY_SECRET: SECRET });
  context.after(() => killAll([server]));
  const { origin } = new URL(await waitUntilListening(server));
  const described = await fetch(`${origin}/openapi.json`);
  assert.equal(described.status, 200);
  return {
    description: await described.text(),
    env: { API_ORIGIN: origin, API_TOKEN: memberToken('library', ['authors', 'books', 'reviews', 'orders']) },
  };
}
