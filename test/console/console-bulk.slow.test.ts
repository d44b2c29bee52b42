import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { asList, asRecord, type JsonRecord } from '../../console/src/schema/json-access.ts';
import { axeViolations, isWiderThanWindow } from '../http/in-browsers/visited-page.ts';
import { openPage, sharedConsole, skip } from './browser.ts';

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
    indexes: [stock, name]
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
  logs: { read_only: true, schema: { type: object, properties: { text: { type: string } } } }
  reviews: { schema: { type: object, properties: { product_id: { type: string, x-references: products } } } }
`;

interface ProductPage {
  readonly rows: readonly JsonRecord[];
  readonly total: unknown;
}

/** A page of the console. */
interface Opened extends AsyncDisposable {
  readonly page: Page;
  readonly problems: readonly string[];
}

const server = sharedConsole(MODEL);

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

/** Opens the dialog that imports, and chooses a file. */
async function chooseFile(page: Page, name: string, content: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Import and export' }).click();
  await page.getByRole('menuitem', { name: 'Import rows' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import products' });
  await dialog.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
  await dialog.getByRole('button', { name: 'Import rows' }).waitFor();
  return dialog;
}

/** A page of the products with a name, as another client reads them. */
async function readProducts(name: string): Promise<ProductPage> {
  const response = await fetch(`${server.api}/v1/products?limit=100&include_total=true&name=${name}`);
  const page: unknown = await response.json();
  return {
    rows: asList(asRecord(page)['data']).map(asRecord),
    total: asRecord(asRecord(page)['page'])['total_count'],
  };
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
    await using visit = await openProducts('columns=sku,name,place&stock[eq]=1');
    const { page } = visit;
    await page.getByRole('button', { name: 'Import and export' }).click();
    await page.getByRole('menuitem', { name: 'Export rows' }).click();
    await page.getByLabel('Only the columns that are shown').check();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const [header, row] = readFileSync(await (await download).path(), 'utf8').split('\r\n');
    assert.equal(header, 'id,sku,name,place,place.city,place.floor,revision');
    assert.match(row ?? '', /,'=1\+1,Formula,,,,\d+$/);
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

describe('an import in the console', { skip, timeout: 240_000 }, () => {
  it('creates the rows of CSV by chosen fields, and saves those that were refused with their reasons', async () => {
    await using visit = await openProducts('name[eq]=Imported');
    const { page } = visit;
    const csv =
      'SKU,Title,Stock,place.city,remark\r\nI-1,Imported,3,Oslo,x\r\nI-2,Imported,-1,,"y\r\nz"\r\nI-3,Imported,,,\r\n';
    const dialog = await chooseFile(page, 'rows.csv', csv);
    await dialog.getByText('Required, and in no column: name').waitFor();
    await dialog.getByLabel('Title').selectOption('name');
    assert.equal(await dialog.getByLabel('remark').inputValue(), '');
    assert.deepEqual(await axeViolations(page), []);
    await dialog.getByRole('button', { name: 'Import rows' }).press('Enter');
    await dialog.getByText('2 rows created, 1 refused.').waitFor();
    await dialog.getByRole('row', { name: '3 stock must be at least 0' }).waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save the refused record' }).click();
    const refused = readFileSync(await (await download).path(), 'utf8');
    assert.equal(
      refused,
      'line,error,SKU,Title,Stock,place.city,remark\r\n3,"stock must be at least 0",I-2,Imported,-1,,"y\r\nz"\r\n',
    );
    assert.deepEqual(await axeViolations(page), []);
    const { rows } = await readProducts('Imported');
    assert.deepEqual(
      rows.map(({ sku, stock, place }) => [sku, stock, place]),
      [
        ['I-1', 3, { city: 'Oslo', floor: null }],
        ['I-3', null, null],
      ],
    );
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: 'I-3' }).waitFor();
    assert.deepEqual(visit.problems, []);
  });

  it('is not offered for a collection that callers only read', async () => {
    await using visit = await openPage(`${server.url}#/collections/logs`);
    await visit.page.getByRole('button', { name: 'Import and export' }).press('Enter');
    await visit.page.getByRole('menuitem', { name: 'Export rows' }).waitFor();
    assert.equal(await visit.page.getByRole('menuitem').count(), 1);
  });

  it('stops after 1,000 refused records in a row', async () => {
    await using visit = await openProducts('name[eq]=Unfit');
    const rows = Array.from({ length: 1_300 }, (_, index) => `U-${index},Unfit,none`);
    const dialog = await chooseFile(visit.page, 'rows.csv', ['sku,name,stock', ...rows].join('\n'));
    await dialog.getByRole('button', { name: 'Import rows' }).click();
    await dialog.getByRole('alert').getByText('1,000 records in a row were refused.').waitFor();
    await dialog.getByRole('button', { name: 'Save all 1000 refused records' }).waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('0 rows created, 1300 refused.').waitFor();
  });

  it('creates no row twice when it continues after a lost response, a stop and a reload', async () => {
    await using visit = await openProducts();
    const { page } = visit;
    const rows = Array.from({ length: 450 }, (_, index) => JSON.stringify({ sku: `R-${index}`, name: 'Resumed' }));
    const path = join(mkdtempSync(join(tmpdir(), 'import-')), 'rows.ndjson');
    writeFileSync(path, rows.join('\n'));
    let requests = 0;
    await page.route(/\/products$/, async (route) => {
      requests += 1;
      if (requests === 1) return await route.continue();
      // The server has written the second batch, and the page does not hear of it.
      await route.fetch();
      await route.abort();
    });
    const dialog = await chooseFile(page, 'rows.ndjson', '{"name":"x"}');
    await dialog.getByLabel('File').setInputFiles(path);
    await dialog.getByLabel('sku').waitFor();
    await dialog.getByRole('button', { name: 'Import rows' }).click();
    await dialog.getByText('200 rows created, 0 refused.').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('The import has stopped. 200 rows created, 0 refused.').waitFor();
    await page.unroute(/\/products$/);
    await page.reload();
    const again = await chooseFile(page, 'rows.ndjson', '{"name":"x"}');
    await again.getByLabel('File').setInputFiles(path);
    await again.getByLabel(/^Continue the import of this file/).waitFor();
    await again.getByRole('button', { name: 'Import rows' }).click();
    await again.getByText('450 rows created, 0 refused.').waitFor();
    assert.equal((await readProducts('Resumed')).total, 450);
    await page.keyboard.press('Escape');
    const third = await chooseFile(page, 'rows.ndjson', '{"name":"x"}');
    await third.getByLabel('File').setInputFiles(path);
    await third.getByLabel('sku').waitFor();
    assert.equal(await third.getByLabel(/^Continue the import/).count(), 0);
    rmSync(dirname(path), { recursive: true });
  });
});

/** The error of a limit. */
const LIMITED = {
  httpStatus: 429,
  errorCode: 'RATE_LIMIT_EXCEEDED',
  errorMessage: 'Too many requests.',
  correlationId: '1',
  timestamp: '2026-01-01T00:00:00.000Z',
  details: [],
};

/** Selects all loaded rows. */
async function selectAll(page: Page): Promise<Locator> {
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).press('Space');
  const bar = page.getByRole('group', { name: 'Selected rows' });
  await bar.waitFor();
  return bar;
}

/** Sends the changes of another client. */
async function changeProduct(id: unknown, changes: object): Promise<void> {
  const response = await fetch(`${server.api}/v1/products/${String(id)}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: JSON.stringify(changes),
  });
  assert.equal(response.status, 200);
}

describe('a change of selected rows in the console', { skip, timeout: 240_000 }, () => {
  it('is checked first, then made by batches for the rows that would accept it', async () => {
    await createProducts(Array.from({ length: 130 }, (_, index) => ({ sku: `B-${index}`, name: 'Bulk', stock: 1 })));
    const { rows } = await readProducts('Bulk');
    await changeProduct(rows[0]?.['id'], { status: 'ACTIVE' });
    await changeProduct(rows[0]?.['id'], { status: 'CLOSED' });
    await using visit = await openProducts('name[eq]=Bulk&columns=sku,status');
    const { page } = visit;
    for (const count of [100, 130]) {
      await page.getByRole('button', { name: 'Load more rows' }).click();
      await page.getByText(new RegExp(`^${count}( or more)? rows$`)).waitFor();
    }
    const bar = await selectAll(page);
    await bar.getByText('130 rows selected').waitFor();
    await bar.getByRole('button', { name: 'Edit' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit 130 of products' });
    await dialog.getByRole('button', { name: 'Fields to change' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Status' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Stock' }).press('Enter');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Status', { exact: true }).selectOption('ACTIVE');
    await dialog.getByRole('textbox', { name: 'Stock' }).fill('7');
    assert.deepEqual(await axeViolations(page), []);
    await dialog.getByRole('button', { name: 'Check without writing' }).press('Enter');
    await dialog.getByText('Would change 129, would refuse 1.').waitFor();
    await dialog.getByText('1 row refused: status cannot change from CLOSED to ACTIVE').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    assert.equal(
      (await readProducts('Bulk')).rows.some(({ stock }) => stock === 7),
      false,
    );
    await changeProduct(rows[1]?.['id'], { stock: 2 });
    await dialog.getByRole('button', { name: 'Change 129 rows' }).press('Enter');
    await dialog.getByText('128 rows changed, 1 refused.').waitFor();
    await dialog.getByRole('link', { name: String(rows[1]?.['id']) }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: 'ACTIVE' }).first().waitFor();
    assert.equal(await bar.count(), 0);
    const states = (await readProducts('Bulk')).rows.map(({ status, stock }) => `${String(status)} ${String(stock)}`);
    assert.deepEqual(states.slice(0, 3), ['CLOSED 1', 'DRAFT 2', 'ACTIVE 7']);
    assert.deepEqual(new Set(states.slice(2)), new Set(['ACTIVE 7']));
    assert.deepEqual(visit.problems, []);
  });

  it('is made once, whatever is lost on the way, and later where a limit has refused it', async () => {
    await createProducts([1, 2, 3].map((index) => ({ sku: `L-${index}`, name: 'Lost', stock: 1 })));
    await using visit = await openProducts('name[eq]=Lost');
    const { page } = visit;
    const keys: (string | undefined)[] = [];
    await page.route(/\/batches$/, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      // The server has made the writes, and the page does not hear of it.
      await route.fetch();
      await route.abort();
    });
    const made = { status: 200, headers: {}, body: {} };
    const limited = { status: 429, headers: { 'Retry-After': '1' }, body: LIMITED };
    await page.route(/dry_run/, (route) => route.fulfill({ json: { results: [limited, made, made] } }), { times: 1 });
    const bar = await selectAll(page);
    await bar.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Fields to change' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Stock' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('textbox', { name: 'Stock' }).fill('9');
    const first = page.waitForRequest(/dry_run/);
    await dialog.getByRole('button', { name: 'Check without writing' }).click();
    await first;
    const later = await page.waitForRequest(/dry_run/);
    assert.equal(asList(asRecord(later.postDataJSON())['operations']).length, 1);
    await dialog.getByRole('button', { name: 'Change 3 rows' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unroute(/\/batches$/);
    const repeated = page.waitForRequest(/\/batches$/);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    keys.push((await repeated).headers()['idempotency-key']);
    await dialog.getByText('3 rows changed, 0 refused.').waitFor();
    assert.equal(new Set(keys).size, 1);
    const { rows } = await readProducts('Lost');
    assert.deepEqual(
      rows.map(({ stock }) => stock),
      [9, 9, 9],
    );
  });
});

describe('a deletion of selected rows in the console', { skip, timeout: 240_000 }, () => {
  it('is checked first, then made for the rows that nothing depends on', async () => {
    await createProducts([1, 2, 3].map((index) => ({ sku: `D-${index}`, name: 'Deleted' })));
    const { rows } = await readProducts('Deleted');
    const reviewed = String(rows[1]?.['id']);
    const review = await fetch(`${server.api}/v1/reviews`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ product_id: reviewed }),
    });
    assert.equal(review.status, 201);
    await using visit = await openProducts('name[eq]=Deleted');
    const { page } = visit;
    const bar = await selectAll(page);
    await page.getByRole('checkbox', { name: `Select row ${String(rows[2]?.['id'])}` }).press('Space');
    await bar.getByText('2 rows selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 of products' });
    await dialog.getByText('Would delete 1, would refuse 1.').waitFor();
    await dialog.getByRole('link', { name: reviewed }).waitFor();
    assert.equal((await readProducts('Deleted')).total, 3);
    for (const width of [360, 768, 1920])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        assert.deepEqual([width, colorScheme, ...(await axeViolations(page))], [width, colorScheme]);
        assert.equal(await isWiderThanWindow(page), false);
      }
    await dialog.getByRole('button', { name: 'Delete 1 row' }).press('Enter');
    await dialog.getByText('1 row deleted, 0 refused.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 rows', { exact: true }).waitFor();
    assert.equal(await bar.count(), 0);
    const left = (await readProducts('Deleted')).rows.map(({ sku }) => sku);
    assert.deepEqual(left, ['D-2', 'D-3']);
    assert.deepEqual(visit.problems, []);
  });
});
