import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleClient } from '../../scripts/client-bundle.ts';

const MAX_BYTES = 6 * 1024;

describe('the published client', () => {
  it('is one file without imports, of less than 6 KB compressed', async () => {
    const { code, imports } = await bundleClient();
    assert.deepEqual(imports, []);
    assert.doesNotMatch(code, /\b(?:process|Buffer|require|globalThis)\b/);
    const size = gzipSync(code, { level: 9 }).length;
    assert.ok(size < MAX_BYTES, `${size} bytes`);
  });
});
