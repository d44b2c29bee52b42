import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requireVersion } from '../../../../src/stores/postgres/connection/server-version.ts';

describe('the version of a server', () => {
  it('is PostgreSQL 15 or newer', () => {
    requireVersion(150_000);
    const message = /^UnusableDatabase: Its version of PostgreSQL is too old\. Use 15 or newer\.$/;
    assert.throws(() => requireVersion(140_012), message);
  });
});
