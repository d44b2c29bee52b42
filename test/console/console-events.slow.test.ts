import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { verifyWebhook } from '../../src/client/verify-webhook.ts';
import { axeViolations, isWiderThanWindow } from '../http/in-browsers/visited-page.ts';
import { skipWithout } from '../installed-programs.ts';
import { closeBrowser, type ConsoleServer, openPage, startConsole } from './browser.ts';

const skip = skipWithout('chromium');
const MODEL = `
name: shop
webhooks: {}
resources:
  products:
    events: full
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;

/** A request that the receiver has got. */
interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let server: ConsoleServer;
let receiver: Server;
let receiverUrl = '';
let receiverStatus = 204;
const received: Received[] = [];

before(async () => {
  if (skip !== false) return;
  receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  receiverUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  server = await startConsole(MODEL, true);
});
after(async () => {
  if (skip !== false) return;
  receiver.close();
  receiver.closeAllConnections();
  await closeBrowser();
  await server.close();
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await buffer(request)).toString();
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  received.push({ headers: Object.fromEntries(headers), body });
  response.writeHead(receiverStatus).end();
}

/** Creates a product as another client does. @returns its id, and the id of the request */
async function createProduct(name: string): Promise<{ readonly id: string; readonly correlation: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${server.api}/v1/products`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name }),
  });
  const id = response.headers.get('Location')?.split('/').at(-1) ?? '';
  return { id, correlation: response.headers.get('X-Correlation-ID') ?? '' };
}

/** The findings of axe but for those of the frame, which has tests of its own. */
async function findings(page: Page): Promise<readonly string[]> {
  return (await axeViolations(page)).filter((found) => !found.includes('class="skip"'));
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).press('Enter');
}

describe('the events in the console', { skip, timeout: 240_000 }, () => {
  it('are listed, followed live, and none is missed by a pause', async () => {
    const first = await createProduct('Lamp');
    await using visit = await openPage(`${server.url}#/events`);
    const { page } = visit;
    await page.getByRole('link', { name: `product.created of ${first.id}` }).waitFor();
    await press(page, 'Follow live');
    const second = await createProduct('Chair');
    await page.getByRole('link', { name: `product.created of ${second.id}` }).waitFor();
    await press(page, 'Pause');
    const third = await createProduct('Table');
    await press(page, 'Resume');
    await page.getByRole('link', { name: `product.created of ${third.id}` }).waitFor();
    const rows = await page.getByRole('row').allTextContents();
    assert.deepEqual(
      [third, second, first].map(({ id }) => rows.findIndex((row) => row.includes(id))),
      [1, 2, 3],
    );
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(visit.problems, []);
  });

  it('open with their whole envelope, and lead to the events of their row and of their request', async () => {
    const { id, correlation } = await createProduct('Shelf');
    await createProduct('Desk');
    await using visit = await openPage(`${server.url}#/events?collection=products`);
    const { page } = visit;
    await page.getByRole('link', { name: `product.created of ${id}` }).press('Enter');
    const text = await page.getByRole('region', { name: 'JSON of the event' }).textContent();
    const event = JSON.parse(text ?? '');
    assert.deepEqual([event.payload.data.name, event.metadata.correlation_id], ['Shelf', correlation]);
    assert.deepEqual(await findings(page), []);
    await page.getByRole('link', { name: 'All events of this request' }).press('Enter');
    await page.getByText('1 event', { exact: true }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Correlation id' }).inputValue(), correlation);
    await page.getByRole('textbox', { name: 'Correlation id' }).fill('');
    await page.getByRole('textbox', { name: 'Correlation id' }).press('Enter');
    await page.getByRole('textbox', { name: 'Id of a row' }).fill(id);
    await page.getByRole('textbox', { name: 'Id of a row' }).press('Enter');
    await page.getByText('1 event', { exact: true }).waitFor();
    await page.getByRole('link', { name: id, exact: true }).press('Enter');
    await page.waitForURL(new RegExp(`#/collections/products/${id}$`));
  });
});

describe('the webhooks in the console', { skip, timeout: 240_000 }, () => {
  it('are created with a secret that is shown once, and its signature is valid', async () => {
    await using visit = await openPage(`${server.url}#/webhooks`);
    const { page } = visit;
    await press(page, 'Create a webhook');
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'URL' }).fill(receiverUrl);
    await form.getByRole('textbox', { name: 'Types of events' }).fill('nothing.created');
    await form.getByRole('button', { name: 'Create a webhook' }).press('Enter');
    await form.getByText(/^matches no type of event/).waitFor();
    await page.waitForFunction('document.activeElement.getAttribute("aria-invalid") === "true"');
    assert.equal(await form.getByRole('textbox', { name: 'URL' }).inputValue(), receiverUrl);
    await form.getByRole('textbox', { name: 'Types of events' }).fill('product.*');
    await form.getByRole('button', { name: 'Create a webhook' }).press('Enter');
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    assert.deepEqual(await findings(page), []);
    await press(page, 'Close');
    await page.getByRole('link', { name: receiverUrl }).press('Enter');
    await press(page, 'Send a ping');
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Succeeded').waitFor();
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    const event = await verifyWebhook({ headers, body }, { secret });
    assert.equal(event.type, 'webhook.ping');
    assert.deepEqual(visit.problems, []);
  });

  it('show their attempts, send an event again, replay a window and rotate their secret', async () => {
    await using visit = await openPage(`${server.url}#/webhooks`);
    const { page } = visit;
    await page.getByRole('link', { name: receiverUrl }).press('Enter');
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    receiverStatus = 500;
    await press(page, 'Send a ping');
    await deliveries
      .getByRole('row')
      .filter({ hasText: 'Given up' })
      .getByRole('button', { name: '1 attempt' })
      .press('Enter');
    await deliveries.getByText('status 500').waitFor();
    receiverStatus = 204;
    const earlier = received.length;
    await page.getByRole('button', { name: 'Send again: webhook.ping' }).first().press('Enter');
    await deliveries.getByRole('row').filter({ hasText: 'Succeeded' }).nth(1).waitFor();
    assert.ok(received.length > earlier);
    await press(page, 'Replay');
    await deliveries.getByRole('link', { name: 'product.created' }).first().waitFor();
    assert.ok(received.some(({ body }) => body.includes('product.created')));
    await press(page, 'Rotate the secret');
    await press(page, 'Make a new secret');
    assert.match(await page.getByRole('textbox', { name: 'Secret' }).inputValue(), /^whsec_/);
    await press(page, 'Close');
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(visit.problems, []);
  });

  it('are changed, disabled, enabled and deleted, on a phone too', async () => {
    await using visit = await openPage(`${server.url}#/webhooks`);
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('link', { name: receiverUrl }).press('Enter');
    await press(page, 'Edit');
    await page.getByRole('textbox', { name: 'Description' }).fill('Orders');
    await press(page, 'Save');
    await page.getByRole('definition').getByText('Orders').waitFor();
    await press(page, 'Disable');
    await page.getByRole('definition').getByText('Disabled').waitFor();
    await press(page, 'Enable');
    await page.getByRole('definition').getByText('Enabled').waitFor();
    await page.getByText('Code of a receiver').press('Enter');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Python');
    assert.match((await page.getByRole('region', { name: 'Code of a receiver' }).textContent()) ?? '', /hmac\.new/);
    assert.deepEqual(await findings(page), []);
    assert.equal(await isWiderThanWindow(page), false);
    await press(page, 'Delete');
    await press(page, 'Delete the webhook');
    await page.getByText('There is no webhook yet.').waitFor();
    assert.deepEqual(visit.problems, []);
  });
});
