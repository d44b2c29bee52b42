import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { axeViolations, isWiderThanWindow } from '../http/in-browsers/visited-page.ts';
import { openPage, sendJson, sharedConsole, skip } from './browser.ts';

const MODEL = `
name: shop
resources:
  suppliers:
    search: [name]
    schema: { type: object, required: [name], properties: { name: { type: string } } }
  products:
    schema:
      type: object
      required: [sku, name]
      properties:
        sku: { type: string, x-immutable: true, pattern: '^[A-Z]{2}-[0-9]+$' }
        name: { type: string, minLength: 2 }
        notes: { type: string, maxLength: 4000 }
        stock: { type: integer, minimum: 0, default: 5 }
        supplier_id: { type: string, x-references: suppliers }
        tags: { type: array, items: { type: string, minLength: 2 } }
        labels: { type: object, additionalProperties: { type: string } }
        place: { type: object, properties: { city: { type: string, minLength: 3 }, floor: { type: integer } } }
        settings: { type: json }
        photo: { type: string, contentEncoding: base64, contentMediaType: image/png }
        token: { type: string, x-shown-once: true }
        token_hint: { type: string }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
    generated: { token: { secret: sk_, hint: token_hint } }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
  reviews:
    parent: products
    schema: { type: object, required: [stars], properties: { stars: { type: integer, minimum: 1, maximum: 5 } } }
`;

const server = sharedConsole(MODEL);

/** The row of a response, or its error. */
interface SentRow {
  readonly [member: string]: unknown;
  readonly id: string;
}

const send = (method: string, path: string, body?: object): Promise<SentRow> =>
  sendJson(server.api, method, path, body);

const focusedLabel = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent');

async function remove(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
}

describe('a row in the console', { skip, timeout: 240_000 }, () => {
  it('is created by a form: refused fields keep what was typed, and a secret is shown once', async () => {
    const { id: supplier } = await send('POST', '/suppliers', { name: 'Bolt' });
    await using visit = await openPage(`${server.url}#/collections/products/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Lamp');
    await page.getByLabel('Sku').fill('wrong');
    await page.getByRole('button', { name: 'Add to Tags' }).click();
    await page.getByLabel('Tags 1').fill('x');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    assert.match(await focusedLabel(page), /^Sku/);
    assert.equal(await page.locator('[aria-invalid=true]').count(), 2);
    assert.equal(await page.getByLabel('Name').inputValue(), 'Lamp');
    await page.getByLabel('Sku').fill('AB-1');
    await page.getByLabel('Tags 1').fill('red');
    await page.getByRole('combobox', { name: 'Supplier id' }).fill('bol');
    await page.getByRole('option', { name: 'Bolt' }).click();
    await page.getByRole('button', { name: 'Add to Labels' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('colour');
    await page.getByLabel('Value of colour').fill('blue');
    await page.getByRole('button', { name: 'Set Place' }).click();
    await page.getByLabel('City').fill('Oslo');
    await page.getByLabel('Floor').fill('2');
    await page.getByLabel('Settings').fill('{"dark":true}');
    await page.getByLabel('Photo').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('png') });
    await page.getByText('3 bytes').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match(await page.getByRole('dialog').getByLabel('Token').inputValue(), /^sk_/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: /^product .{10}/i }).waitFor();
    const row = await send('GET', `/products/${page.url().split('/').at(-1)}`);
    assert.deepEqual(
      [row['sku'], row['stock'], row['supplier_id'], row['tags'], row['labels'], row['place']],
      ['AB-1', 5, supplier, ['red'], { colour: 'blue' }, { city: 'Oslo', floor: 2 }],
    );
    assert.deepEqual([row['settings'], row['photo']], [{ dark: true }, Buffer.from('png').toString('base64')]);
    assert.deepEqual(visit.problems, []);
  });

  it('is saved by what has changed, and a change of another in the meantime opens a three-way view', async () => {
    const { id } = await send('POST', '/products', { sku: 'AB-2', name: 'Chair', notes: 'old' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('textbox', { name: 'Notes' }).fill('mine');
    await send('PATCH', `/products/${id}`, { name: 'Theirs', notes: 'theirs', stock: 9 });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this row' });
    await dialog.getByText('They also changed: Stock.').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await dialog.getByRole('group', { name: 'Name' }).getByRole('radio', { name: 'Theirs' }).check();
    assert.equal(await dialog.getByRole('button', { name: 'Save these' }).isDisabled(), true);
    await dialog.getByRole('group', { name: 'Notes' }).getByRole('radio', { name: 'Yours' }).check();
    await dialog.getByRole('button', { name: 'Save these' }).click();
    await page.getByText('Saved.').waitFor();
    const { name, notes, stock } = await send('GET', `/products/${id}`);
    assert.deepEqual({ name, notes, stock }, { name: 'Theirs', notes: 'mine', stock: 9 });
    assert.equal(await page.getByRole('textbox', { name: 'Stock' }).inputValue(), '9');
    await page.getByRole('button', { name: 'Clear Notes' }).click();
    const patched = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.equal((await patched).postData(), '{"notes":null}');
  });

  it('moves to the states that may follow, shows a dry run, and keeps unsaved changes', async () => {
    const { id } = await send('POST', '/products', { sku: 'AB-3', name: 'Table' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    await page.getByRole('textbox', { name: 'Notes' }).fill('unsaved');
    await page.getByRole('button', { name: 'Move to ACTIVE' }).click();
    await page.getByRole('button', { name: 'Move to CLOSED' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Notes' }).inputValue(), 'unsaved');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('dialog').getByRole('row', { name: 'Notes not set unsaved' }).waitFor();
    await page.keyboard.press('Escape');
    const { notes, status } = await send('GET', `/products/${id}`);
    assert.deepEqual({ notes, status }, { notes: null, status: 'ACTIVE' });
    await page.getByRole('link', { name: 'All products' }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    assert.equal(await page.getByRole('textbox', { name: 'Notes' }).inputValue(), 'unsaved');
  });

  it('leads to the rows below it, and is deleted after a confirmation', async () => {
    const { id } = await send('POST', '/products', { sku: 'AB-4', name: 'Shelf' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    const link = await page
      .getByRole('navigation', { name: 'Related' })
      .getByRole('link', { name: 'reviews' })
      .getAttribute('href');
    assert.match(link ?? '', new RegExp(`#/collections/reviews\\?parents=${id}$`));
    await page.goto(`${server.url}#/collections/reviews/new?parents=${id}`);
    await page.getByLabel('Stars').fill('five');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Type a number.').waitFor();
    await page.getByLabel('Stars').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: /^review .{10}/i }).waitFor();
    await page.goto(`${server.url}#/collections/products/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await remove(page);
    await page.getByRole('alert').getByText('It was not saved.').waitFor();
    assert.equal((await send('GET', `/products/${id}`)).id, id);
    const { id: other } = await send('POST', '/products', { sku: 'AB-9', name: 'Stool' });
    await page.goto(`${server.url}#/collections/products/${other}`);
    await page.getByRole('heading', { name: `product ${other}` }).waitFor();
    await remove(page);
    await page.getByText('Deleted.').waitFor();
    assert.equal((await send('GET', `/products/${other}`))['httpStatus'], 404);
  });

  it('has no fault of accessibility and no sideways scrolling, in light and dark, on a phone too', async () => {
    const { id } = await send('POST', '/products', { sku: 'AB-5', name: 'Lamp', tags: ['red'], labels: { a: 'b' } });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Save' }).waitFor();
    for (const width of [360, 768, 1920])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        assert.deepEqual([width, colorScheme, ...(await axeViolations(page))], [width, colorScheme]);
        assert.equal(await isWiderThanWindow(page), false);
      }
  });
});
