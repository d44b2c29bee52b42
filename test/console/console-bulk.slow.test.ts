import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { axeViolations, isWiderThanWindow } from '../http/in-browsers/visited-page.ts';
import { skipWithout } from '../installed-programs.ts';
import { closeBrowser, type ConsoleServer, openPage, startConsole } from './browser.ts';

const skip = skipWithout('chromium');
const MODEL = `
name: shop
limits: { rate: false }
resources:
  suppliers: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
  products:
    schema:
      type: object
      required: [sku, name]
      properties:
        sku: { type: string, x-unique: true }
        name: { type: string, minLength: 2 }
        stock: { type: integer, minimum: 0 }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string }, floor: { type: integer } } }
        supplier_id: { type: string, x-references: suppliers }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
    indexes: [stock]
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
`;

/** A server with an empty database, and a page of its console. */
interface Opened extends AsyncDisposable {
  readonly page: Page;
  readonly problems: readonly string[];
}

let server: ConsoleServer;
before(async () => {
  if (skip === false) server = await startConsole(MODEL);
});
after(async () => {
  if (skip !== false) return;
  await closeBrowser();
  await server.close();
});

/** Creates products as another client does. */
async function createProducts(rows: readonly object[]): Promise<void> {
  const response = await fetch(`${server.api}/v1/products`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
  });
  assert.doesNotMatch(await response.text(), /"error"/);
}

/** Opens the grid of the products. @param search `stock[lt]=100` */
async function openProducts(search = ''): Promise<Opened> {
  const visit = await openPage(`${server.url}#/collections/products${search === '' ? '' : `?${search}`}`);
  await visit.page.getByRole('button', { name: 'Import and export' }).waitFor();
  return visit;
}

/** Exports by the keyboard alone. @returns the file */
async function exportProducts(page: Page, format: string): Promise<string> {
  await page.getByRole('button', { name: 'Import and export' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Export rows' }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Export products' });
  await dialog.getByLabel('Format').selectOption(format);
  assert.deepEqual(await axeViolations(page), []);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export' }).press('Enter');
  const path = await (await download).path();
  await dialog.getByText('is saved').waitFor();
  await page.keyboard.press('Escape');
  return readFileSync(path, 'utf8');
}

describe('an export in the console', { skip, timeout: 240_000 }, () => {
  it('has every row that matches the filters, over many pages, in each format', async () => {
    await createProducts(
      Array.from({ length: 250 }, (_, index) => ({ sku: `E-${index}`, name: 'two\r\nlines', stock: 1_000 + index })),
    );
    await createProducts([{ sku: 'E-not', name: 'Lamp', stock: 999 }]);
    await using visit = await openProducts('sort=-stock&stock[gte]=1000');
    const skus = Array.from({ length: 250 }, (_, index) => `E-${249 - index}`);
    const csv = await exportProducts(visit.page, 'csv');
    assert.deepEqual(csv.match(/E-\d+/g), skus);
    assert.equal(csv.match(/^id,/gm)?.length, 1);
    const ndjson = await exportProducts(visit.page, 'ndjson');
    const rows = ndjson
      .trimEnd()
      .split('\n')
      .map((line): { sku: string } => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ sku }) => sku),
      skus,
    );
    assert.deepEqual(JSON.parse(await exportProducts(visit.page, 'json')), rows);
    assert.equal('links' in (rows[0] ?? {}), false);
    assert.deepEqual(visit.problems, []);
  });

  it('escapes formulas, and may have the shown columns alone', async () => {
    await createProducts([{ sku: '=1+1', name: 'Formula', stock: 1 }]);
    await using visit = await openProducts('columns=sku,name&stock[eq]=1');
    const { page } = visit;
    await page.getByRole('button', { name: 'Import and export' }).click();
    await page.getByRole('menuitem', { name: 'Export rows' }).click();
    await page.getByLabel('Only the columns that are shown').check();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const [header, row] = readFileSync(await (await download).path(), 'utf8').split('\r\n');
    assert.equal(header, 'id,sku,name,revision');
    assert.match(row ?? '', /,'=1\+1,Formula,\d+$/);
  });

  it('stops, continues where it was, and waits for as long as the server wants', async () => {
    await createProducts(Array.from({ length: 150 }, (_, index) => ({ sku: `S-${index}`, name: 'Stop', stock: 2 })));
    await using visit = await openProducts('stock[eq]=2');
    const { page } = visit;
    let isLimited = true;
    await page.route(/[?&]after=/, async (route) => {
      if (isLimited) await route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json: {} });
      else await route.continue();
    });
    await page.getByRole('button', { name: 'Import and export' }).click();
    await page.getByRole('menuitem', { name: 'Export rows' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('The server limits requests. It goes on in 60 s.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped after 100 rows.').waitFor();
    isLimited = false;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Continue' }).click();
    const skus = readFileSync(await (await download).path(), 'utf8').match(/S-\d+/g) ?? [];
    assert.equal(skus.length, 150);
    assert.equal(new Set(skus).size, 150);
    await page.getByText('products.csv is saved: 150 rows.').waitFor();
  });

  it('has no barriers and no sideways scrolling, in light and dark, on a phone too', async () => {
    await using visit = await openProducts();
    const { page } = visit;
    await page.getByRole('button', { name: 'Import and export' }).click();
    await page.getByRole('menuitem', { name: 'Export rows' }).click();
    await page.getByRole('dialog').waitFor();
    for (const width of [360, 768, 1920])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        assert.deepEqual([width, colorScheme, ...(await axeViolations(page))], [width, colorScheme]);
        assert.equal(await isWiderThanWindow(page), false);
      }
  });
});
