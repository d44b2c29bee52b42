import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';

const root = path.join(import.meta.dirname, '..', '..');

/** What these judge differs with authentication, or they call the API without the token that the suite sends. */
const OTHER_FILES =
  /(?:bodies|cache-control|cors|gateway|large-pages|ndjson|negotiation|origins|rate-limits|root-page|scopes|stage-order|tls|trusted-proxies)\.test\.ts$/;
/** Claims about the anonymous caller, about its `Host`, about `Vary`, and about the size of header fields, of which the token is one more. */
const OTHER_CLAIMS = String.raw`/\[AUTH-7\]|\[NEG-3a\]|\[CACHE-5\]|\[EVT-2\]|evil\.example|Host of GET|must not repeat|with the injected clock|gets the caller|two are sent concurrently|for \/, with a hint|response to GET \/$|200 for 1/`;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

describe('the HTTP suite with authentication', () => {
  it('[AUTH-1a] has the same answers for a caller that may do everything, but for Vary, Cache-Control and ETags', {
    timeout: SUITE_TIMEOUT,
  }, async ({ signal }) => {
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const files = globSync('test/pipeline/*.test.ts', { cwd: root }).filter(
      (file) => !file.endsWith('.slow.test.ts') && !OTHER_FILES.test(file),
    );
    assert.ok(files.length > 50, `${files.length} files`);
    const child = spawn(process.execPath, ['--test', `--test-skip-pattern=${OTHER_CLAIMS}`, ...files], {
      cwd: root,
      signal,
      env: { ...env, RESTWRIGHT_AUTHENTICATED: '1' },
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    const output = Buffer.concat(chunks).toString();
    assert.equal(code, 0, output.slice(output.indexOf('failing tests')));
  });
});
