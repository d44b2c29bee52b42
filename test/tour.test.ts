import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../scripts/command.ts';
import { answered, PAGES, type PageServer, requestsOf } from '../scripts/tour.ts';

for (const { file, serve } of PAGES) {
  describe(`the requests of ${file}`, () => {
    let page = '';
    let server: PageServer | undefined;
    before(async () => {
      page = await readFile(path.join(root, file), 'utf8');
      server = await serve(page);
    });
    after(() => server?.close());

    it('have the answers that the page shows', async () => {
      const shown = requestsOf(page);
      assert.match(shown, /```http/);
      assert.equal(await answered(shown, server?.origin ?? ''), shown);
    });
  });
}

describe('the tour', () => {
  it('can be taken again on the same database', async () => {
    const [tour] = PAGES;
    if (tour === undefined) throw new Error('there is no tour');
    const page = await readFile(path.join(root, tour.file), 'utf8');
    const server = await tour.serve(page);
    try {
      const shown = requestsOf(page);
      assert.ok(shown.split('```http').length > 12, 'a dozen requests at least');
      assert.equal(await answered(shown, server.origin), shown);
      assert.equal(await answered(shown, server.origin), shown);
    } finally {
      await server.close();
    }
  });
});
