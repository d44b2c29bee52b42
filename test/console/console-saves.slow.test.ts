import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, sendJson, sharedConsole, skip } from './browser.ts';
import { AUTH, findConsole, serveConsole, token } from './served-console.ts';

const MODEL = `
name: shop
resources:
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        notes: { type: string }
        stock: { type: integer }
        status: { type: string, enum: [DRAFT, ACTIVE], default: DRAFT }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE] } }
`;

interface Product {
  readonly id: string;
  readonly name: string;
  readonly notes: string | null;
  readonly revision: number;
}

const server = sharedConsole(MODEL);

const send = <T>(method: string, path: string, body?: object): Promise<T> => sendJson(server.api, method, path, body);

const readNamed = async (name: string): Promise<readonly Product[]> =>
  (await send<{ readonly data: readonly Product[] }>('GET', '/products?limit=100')).data.filter(
    (each) => each.name === name,
  );

/** Lets the next writes reach the server, and loses their responses. @returns the number of lost responses */
async function loseResponses(page: Page, method: string): Promise<{ readonly end: () => Promise<void> }> {
  const pattern = /\/products(?:\/|$|\?)/;
  await page.route(pattern, async (route) => {
    if (route.request().method() !== method) return await route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  return { end: () => page.unroute(pattern) };
}

/** Holds the next write until it is let go. */
async function holdWrite(
  page: Page,
  method: string,
): Promise<{ readonly sent: Promise<void>; readonly go: () => void }> {
  const sent = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(/\/products\//, async (route) => {
    if (route.request().method() === method) {
      sent.resolve();
      await held.promise;
    }
    await route.continue().catch(() => undefined);
  });
  return { sent: sent.promise, go: () => held.resolve() };
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

describe('a save in the console', { skip, timeout: 240_000 }, () => {
  it('[MET-12] creates one row, however often it is repeated after lost responses', async () => {
    await using visit = await openPage(`${server.url}#/collections/products/new`);
    const { page } = visit;
    const lost = await loseResponses(page, 'POST');
    await page.getByLabel('Name').fill('Once');
    await press(page, 'Save');
    await page.getByText('The server has not confirmed it. What you typed is kept.').waitFor();
    await lost.end();
    await press(page, 'Save');
    await page.getByText('Created.').waitFor();
    assert.equal((await readNamed('Once')).length, 1);
  });

  it('[MET-12] changes a row once, without a conflict with itself', async () => {
    const { id, revision } = await send<Product>('POST', '/products', { name: 'Lamp' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    const lost = await loseResponses(page, 'PATCH');
    await page.getByLabel('Name').fill('Lamp 2');
    await press(page, 'Save');
    await page.getByText('The server has not confirmed it. What you typed is kept.').waitFor();
    await lost.end();
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    assert.equal(await page.getByRole('dialog', { name: 'Somebody else' }).count(), 0);
    const row = await send<Product>('GET', `/products/${id}`);
    assert.equal(row.name, 'Lamp 2');
    assert.ok(row.revision > revision);
  });

  it('keeps what is typed while it runs', async () => {
    const { id } = await send<Product>('POST', '/products', { name: 'Desk' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    const held = await holdWrite(page, 'PATCH');
    await page.getByLabel('Name').fill('Desk 2');
    await press(page, 'Save');
    await held.sent;
    await page.getByRole('textbox', { name: 'Notes' }).fill('typed meanwhile');
    held.go();
    await page.getByText('Saved.').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Notes' }).inputValue(), 'typed meanwhile');
    await press(page, 'Save');
    await page.getByRole('button', { name: 'Save', exact: true, disabled: false }).waitFor();
    await page.waitForFunction(`document.querySelectorAll('.toast').length > 1`);
    const { name, notes } = await send<Product>('GET', `/products/${id}`);
    assert.deepEqual({ name, notes }, { name: 'Desk 2', notes: 'typed meanwhile' });
  });

  it('can be cancelled, and repeated', async () => {
    const { id } = await send<Product>('POST', '/products', { name: 'Shelf' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    const held = await holdWrite(page, 'PATCH');
    await page.getByLabel('Name').fill('Shelf 2');
    await press(page, 'Save');
    await held.sent;
    await press(page, 'Cancel');
    await page.getByText(/^Cancelled\./).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Shelf 2');
    held.go();
    await page.unroute(/\/products\//);
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    assert.equal((await send<Product>('GET', `/products/${id}`)).name, 'Shelf 2');
  });

  it('of a row that somebody has deleted says so, and keeps what was typed; deleting it is done', async () => {
    const { id } = await send<Product>('POST', '/products', { name: 'Gone' });
    await using visit = await openPage(`${server.url}#/collections/products/${id}`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Still here');
    await send('DELETE', `/products/${id}`);
    await press(page, 'Save');
    await page.getByText(/^This row has been deleted in the meantime\./).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Still here');
    await press(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted.').waitFor();
    await page.getByRole('heading', { name: 'Products' }).waitFor();
  });

  it('that a limit refuses says when to try again', async () => {
    await using visit = await openPage(`${server.url}#/collections/products/new`);
    const { page } = visit;
    const error = {
      httpStatus: 429,
      errorCode: 'RATE_LIMIT_EXCEEDED',
      errorMessage: 'Too many requests.',
      details: [],
    };
    await page.route(/\/products$/, async (route) => {
      await route.fulfill({ status: 429, headers: { 'Retry-After': '600' }, json: error });
    });
    await page.getByLabel('Name').fill('Soon');
    await press(page, 'Save');
    await page.getByText('Too many requests. Try again in 600 seconds.').waitFor();
  });
});

describe('a form in the console whose token ends', { skip, timeout: 120_000 }, () => {
  it('stays open with all that was typed, also where the new token may not read the description', async () => {
    const { folder, remove } = findConsole();
    try {
      await using served = await serveConsole(`${MODEL}\n${AUTH}`, folder, true);
      await using visit = await openPage(`${served.url}#/collections/products/new`);
      const { page } = visit;
      const signIn = async (credentials: string): Promise<void> => {
        await page.getByLabel('Token or API key').fill(credentials);
        await page.keyboard.press('Enter');
      };
      await signIn(await token('products:read products:write'));
      await page.getByLabel('Name').fill('Typed');
      let isEnded = true;
      await page.route(/\/products$/, async (route) => {
        if (isEnded) await route.fulfill({ status: 401, json: { httpStatus: 401, errorCode: 'AUTH_TOKEN_EXPIRED' } });
        else await route.continue();
      });
      await page.route(/openapi\.json$/, (route) => route.fulfill({ status: 403, json: {} }));
      await press(page, 'Save');
      await page.getByRole('dialog').getByLabel('Token or API key').waitFor();
      isEnded = false;
      await signIn(await token('products:read products:write', 'bob'));
      await page.getByText('Created.').waitFor();
      await page.getByText('What this caller may do could not be read.').waitFor();
      assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /^product /i);
      await page.unroute(/openapi\.json$/);
      await press(page, 'Try again');
      await page.getByText('What this caller may do could not be read.').waitFor({ state: 'detached' });
      await press(page, 'Sign out');
      await page.getByRole('heading', { name: /sign in/i }).waitFor();
    } finally {
      remove();
    }
  });
});
