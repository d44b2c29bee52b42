import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleClient } from '../../scripts/client-bundle.ts';

const MAX_BYTES = { client: 6 * 1024, webhooks: 2 * 1024 };

describe('the published client', () => {
  for (const entry of ['client', 'webhooks'] as const) {
    it(`is one file without imports, of less than ${MAX_BYTES[entry]} bytes compressed: ${entry}`, async () => {
      const { code, imports } = await bundleClient(entry);
      assert.deepEqual(imports, []);
      assert.doesNotMatch(code, /\b(?:process|Buffer|require|globalThis)\b/);
      const size = gzipSync(code, { level: 9 }).length;
      assert.ok(size < MAX_BYTES[entry], `${size} bytes`);
    });
  }
});
