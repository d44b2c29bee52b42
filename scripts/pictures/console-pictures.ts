import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../../test/chromium.ts';
import { findConsole, serveConsole } from '../../test/console/served-console.ts';

/** A picture of a view of the console. */
export interface ConsolePicture {
  /** Path in the repository. */
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
  /** Opens the view. */
  readonly show: (page: Page, shop: Shop) => Promise<void>;
}

/** Reads of the metrics before the picture of their plots. */
const READS = 8;
/** The guide, whose model is served for its pictures. */
const GUIDE = 'docs/guides/console.md';

/** The API of the pictures, and its rows. */
interface Shop {
  readonly console: string;
  readonly api: string;
  /** The id of a product. */
  readonly product: string;
}

/** The link of a row in a grid. */
const ROW_ID = /^[\w-]{20,}/;
const SUPPLIERS = ['Aalto & Co', 'Bolt Lighting', 'Nordic Oak'] as const;
const PRODUCTS = [
  ['L-100', 'Lamp, brass', '49.90', 12],
  ['L-101', 'Lamp, paper shade', '29.00', 4],
  ['L-102', 'Lamp for reading', '64.50', 0],
  ['C-200', 'Chair, oak', '189.00', 7],
  ['C-201', 'Chair, folding', '39.00', 40],
  ['T-300', 'Table, round', '420.00', 3],
  ['T-301', 'Table, extending', '690.00', 1],
  ['S-400', 'Shelf, wall', '75.00', 18],
  ['S-401', 'Shelf, corner', '58.00', 9],
  ['D-500', 'Desk, standing', '540.00', 5],
] as const;

/** The pictures of the guide. */
export const CONSOLE_PICTURES: readonly ConsolePicture[] = [
  picture('grid', async (page, { console }) => {
    await page.goto(`${console}#/collections/products?sort=price&price%5Bgte%5D=40`);
    await waitForFirst(page, 'link', ROW_ID);
  }),
  picture('row', showProduct),
  picture('conflict', async (page, shop) => {
    await showProduct(page, shop);
    await send(shop.api, 'PATCH', `/products/${shop.product}`, { price: '54.90', stock: 11 });
    await page.getByLabel('Price').fill('44.90');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor();
  }),
  picture('webhook', async (page, { console }) => {
    await page.goto(`${console}#/webhooks`);
    await page
      .getByRole('main')
      .getByRole('link', { name: /hooks$/ })
      .click();
    await waitForFirst(page, 'button', /^Send again/);
  }),
  picture('events', async (page, { console }) => {
    await page.goto(`${console}#/events`);
    await waitForFirst(page, 'link', /^product\./);
  }),
  picture('health', async (page, { console, api }) => {
    await page.goto(`${console}#/health`);
    await page.locator('.plot').first().waitFor();
    // The view reads the metrics every five seconds.
    for (let read = 0; read < READS; read += 1) {
      const requests = Array.from({ length: 40 + 25 * (read % 3) }, () => fetch(`${api}/v1/products`));
      await Promise.all([...requests, page.waitForResponse(/metrics$/)]);
    }
  }),
  picture(
    'dark',
    async (page, { console }) => {
      await page.goto(`${console}#/collections/products`);
      await waitForFirst(page, 'link', ROW_ID);
    },
    'dark',
  ),
];

function picture(
  name: string,
  show: ConsolePicture['show'],
  scheme: ConsolePicture['scheme'] = 'light',
): ConsolePicture {
  return { file: `docs/guides/console-${name}.png`, width: 1200, height: 760, scheme, show };
}

async function waitForFirst(page: Page, role: 'link' | 'button', name: RegExp): Promise<void> {
  await page.getByRole(role, { name }).first().waitFor();
}

async function showProduct(page: Page, { console, product }: Shop): Promise<void> {
  await page.goto(`${console}#/collections/products/${product}`);
  await page.getByLabel('Price').waitFor();
}

/** Takes the pictures of the console with the model of its guide. @param folder the root of the repository */
export async function takeConsolePictures(folder: string): Promise<void> {
  const [, model = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(path.join(folder, GUIDE), 'utf8')) ?? [];
  const build = findConsole();
  const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const browser = await startChromium();
  try {
    for (const each of CONSOLE_PICTURES) {
      await using served = await serveConsole(model, build.folder, true);
      const shop = await fillShop(served.url, `${served.origin}/api`, receiver);
      await takePicture(browser, path.join(folder, each.file), each, shop);
    }
  } finally {
    await browser.close();
    receiver.close();
    build.remove();
  }
}

async function takePicture(browser: Browser, file: string, each: ConsolePicture, shop: Shop): Promise<void> {
  const { width, height, scheme, show } = each;
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  await show(page, shop);
  await page.screenshot({ path: file });
  await page.close();
}

async function fillShop(console: string, api: string, receiver: Server): Promise<Shop> {
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : '';
  await send(api, 'POST', '/webhooks', { url: `http://127.0.0.1:${port}/hooks`, event_types: ['product.*'] });
  const suppliers: string[] = [];
  for (const name of SUPPLIERS) suppliers.push(await send(api, 'POST', '/suppliers', { name }));
  const products: string[] = [];
  for (const [index, [sku, name, price, stock]] of PRODUCTS.entries()) {
    const body = { sku, name, price, stock, supplier_id: suppliers[index % suppliers.length] };
    products.push(await send(api, 'POST', '/products', body));
  }
  for (const id of products.slice(0, 4)) await send(api, 'PATCH', `/products/${id}`, { status: 'ACTIVE' });
  return { console, api, product: products[0] ?? '' };
}

/** Sends a request to version 1. @returns the id of the row @throws Error if it is refused */
async function send(api: string, method: 'POST' | 'PATCH', target: string, body: object): Promise<string> {
  const response = await fetch(`${api}/v1${target}`, {
    method,
    headers: { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
  return response.headers.get('Location')?.split('/').at(-1) ?? '';
}
