import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../scripts/command.ts';
import { answered, findRequests, type PageServer, type RequestPage } from '../scripts/tour.ts';

/** Tests that the requests of a page have the responses that it shows. */
export function testRequests({ file, serve }: RequestPage, store: string): void {
  // One of them imports 171,075 rows first.
  describe(`the requests of ${file} on ${store}`, { timeout: 180_000 }, () => {
    let page = '';
    let server: PageServer | undefined;
    before(
      async () => {
        page = await readFile(path.join(root, file), 'utf8');
        server = await serve(page);
      },
      { timeout: 180_000 },
    );
    after(() => server?.close());

    it('have the answers that the page shows', async () => {
      const shown = findRequests(page);
      assert.match(shown, /```http/);
      assert.equal(await answered(shown, server?.origin ?? ''), shown);
    });

    // The README creates a product, whose number is unique.
    if (file !== 'README.md')
      it('have the same answers again, on the same database', async () => {
        const shown = findRequests(page);
        assert.ok(shown.split('```http').length > 12, 'a dozen requests at least');
        assert.equal(await answered(shown, server?.origin ?? ''), shown);
      });
  });
}
