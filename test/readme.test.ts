import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { answered, requestsOf, serveWorld, type WorldServer } from '../scripts/readme.ts';

describe('the README', () => {
  let server: WorldServer | undefined;
  before(async () => {
    server = await serveWorld();
  });
  after(() => server?.close());

  it('shows the answers that a served example gives to its requests', async () => {
    const section = requestsOf(await readFile(new URL('../README.md', import.meta.url), 'utf8'));
    assert.ok(section.split('```http').length > 12, 'a dozen requests at least');
    assert.equal(await answered(section, server?.origin ?? ''), section);
  });
});
