import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../scripts/command.ts';
import { answered, PAGES, type PageServer, readmeOn, findRequests } from '../scripts/tour.ts';
import { PostgresSchemas } from './postgres-schemas.ts';
import { startPostgres } from './postgres-server.ts';

const postgres = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(postgres.url('public'));
  await postgres.stop();
});

const PAGES_BY_STORE = [
  ...PAGES.map((page) => ({ ...page, store: 'SQLite' })),
  { ...readmeOn(postgres.url(schemas.name('readme'))), store: 'PostgreSQL' },
];

for (const { file, serve, store } of PAGES_BY_STORE) {
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
