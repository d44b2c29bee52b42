import { evaluateRead, readPreconditions, UNCONDITIONAL } from '../conventions/headers/preconditions.ts';
import { writeConsolePolicy } from '../describe/console/console-config.ts';
import { type ConsoleFile, type ConsoleFiles, PAGE } from '../describe/console/console-files.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { ConsoleRule } from '../model/model.ts';
import { commonHeaders } from '../represent/response.ts';
import type { Routed } from './route.ts';

/** Files with the digest of their content in their names never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Responds with the page of the console, or one of its files (OPS-10). It needs no credentials: the page has none of
 * the data. 304 where the client has the file.
 */
export function consoleResponse({ exchange, received, contract }: Routed, files: ConsoleFiles): BufferedResponse {
  const name = received.segments?.at(-1) ?? PAGE;
  const file = files.get(name) ?? files.get(PAGE);
  if (file === undefined) throw new Error('the route of the console has no files');
  const { ifNoneMatch } = readPreconditions((field) => exchange.fields.get(field), 0);
  const current = { etag: file.etag, lastModified: () => null };
  const isKnown = evaluateRead({ ...UNCONDITIONAL, ifNoneMatch }, current) === 'not-modified';
  const headers = [
    ...commonHeaders(exchange),
    'ETag',
    file.etag,
    'Cache-Control',
    file.isImmutable ? IMMUTABLE : 'no-cache',
    ...pageHeaders(file, contract.model.console),
  ];
  if (isKnown) return { status: 304, headers, body: null };
  const { body, compressed, contentType } = file;
  return { status: 200, headers: [...headers, 'Content-Type', contentType], body, compressed };
}

/** The fields that restrict what a page may do, and learn. */
function pageHeaders({ contentType }: ConsoleFile, rule: ConsoleRule | null): readonly string[] {
  if (!contentType.startsWith('text/html')) return [];
  return [
    'Content-Security-Policy',
    writeConsolePolicy(rule),
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Referrer-Policy',
    'no-referrer',
  ];
}
