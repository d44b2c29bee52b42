import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type HttpServer, serveHttp } from '../../../src/http/serve-http.ts';
import { startChromium } from '../../chromium.ts';
import { skipWithout } from '../../installed-programs.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { fakeTokens } from '../../pipeline/support/fake-tokens.ts';
import { axeViolations, isWiderThanWindow, responseStatus, type Visit, visitPage } from './visited-page.ts';

const skip = skipWithout('chromium');
const AUTH =
  'auth: { issuers: [ { issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef } ] }';
const SHOP = `
name: shop
version: 2.1.0
default_version: 2
versions: { 1.4.0: { changes: [ { resource: products, rename: { title: name } } ] } }
resources:
  suppliers: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
  products:
    schema:
      type: object
      description: What the shop sells.
      required: [name]
      properties:
        name: { type: string }
        weight_in_grams: { type: integer }
        supplier_id: { type: string, x-references: suppliers }
        part_of_id: { type: string, x-references: products }
  orders: { schema: { type: object, properties: { note: { type: string } } } }
`;

/** A model with as many resources, each with a field of its own name. */
function largeModel(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) =>
      `  things${at}: { schema: { type: object, properties: { name: { type: string }, size${at}: { type: integer } } } }`,
  );
  return `name: large\nresources:\n${rows.join('\n')}\n`;
}

/** A server with the documentation of a model. */
class Served {
  readonly #api: ApiUnderTest;
  readonly #server: HttpServer;

  constructor(api: ApiUnderTest, server: HttpServer) {
    this.#api = api;
    this.#server = server;
  }

  static async start(model: string): Promise<Served> {
    const api = await apiUnderTest(model, { tokens: fakeTokens });
    return new Served(api, await serveHttp({ api: api.api, port: 0 }));
  }

  visit(options: BrowserContextOptions = {}, path = '/docs'): Promise<Visit> {
    return visitPage(browser, `http://127.0.0.1:${this.#server.port}${path}`, options);
  }

  async stop(): Promise<void> {
    await this.#server.close();
    await this.#api.close();
  }
}

let browser: Browser;
let shop: Served;
before(async () => {
  if (skip !== false) return;
  browser = await startChromium();
  shop = await Served.start(SHOP);
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  await shop.stop();
});

/** Searches, and reads the results once they are there. */
async function searched(page: Page, query: string): Promise<readonly string[]> {
  await page.fill('#search', query);
  await page.locator('#found:not(:empty)').waitFor();
  return page.locator('#results a').allInnerTexts();
}

const readFound = (page: Page): Promise<string | null> => page.textContent('#found');

/** Waits until the index marks a section. */
const untilCurrent = (page: Page, name: string): Promise<void> =>
  page.locator(`nav [aria-current]:text-is("${name}")`).waitFor({ state: 'attached' });

describe('the search of the documentation in Chromium', { skip, timeout: 120_000 }, () => {
  it('[OPS-1c] finds collections, operations, fields and filters without a request', async () => {
    await using opened = await shop.visit();
    const { page, requests } = opened;
    const loaded = requests.length;
    assert.deepEqual(await searched(page, 'Weight'), [
      'weight_in_grams\nfield of products',
      'weight_in_grams\nfilter of products',
    ]);
    assert.deepEqual((await searched(page, 'orders')).slice(0, 2), [
      'orders\ncollection',
      'List orders\nGET /api/v2/orders',
    ]);
    assert.deepEqual(await searched(page, 'product patch'), ['Change a product\nPATCH /api/v2/products/{id}']);
    assert.deepEqual(await searched(page, 'products the shop sells'), ['products\ncollection']);
    assert.deepEqual(await searched(page, 'no such thing'), []);
    assert.equal(await readFound(page), 'Nothing has “no such thing”. Try a part of a name.');
    assert.equal(requests.length, loaded);
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(opened.problems, []);
  });

  it('[OPS-1c] is used by keyboard: slash, arrows, Enter and Escape', async () => {
    await using opened = await shop.visit();
    const { page } = opened;
    await page.keyboard.press('/');
    assert.equal(await page.inputValue('#search'), '');
    await page.keyboard.type('weight');
    await page.locator('#results a').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.match(
      await page.evaluate<string>('document.activeElement.textContent'),
      /^weight_in_grams integer, sort key/,
    );
    assert.equal(await page.evaluate('document.activeElement.closest("details").open'), true);
    assert.match(page.url(), /#r-products$/);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    assert.equal(await page.inputValue('#search'), '');
    assert.equal(await page.isVisible('#index'), true);
    await page.keyboard.type('/');
    assert.equal(await page.inputValue('#search'), '/');
  });

  it('[OPS-1c] is shown after the token, where the documentation needs one, and is none without JavaScript', async () => {
    const closed = await Served.start(`descriptions: authenticated\n${AUTH}${SHOP}`);
    try {
      await using opened = await closed.visit();
      const { page } = opened;
      await page.keyboard.press('/');
      await page.fill('#page-token', 'ann');
      await page.keyboard.press('Enter');
      await page.locator('#r-products').waitFor();
      assert.equal((await searched(page, 'weight')).length, 2);
      await page.click('#r-orders-get summary');
      await page.locator('#r-orders-get pre').first().waitFor();
      assert.deepEqual(opened.problems, []);
    } finally {
      await closed.stop();
    }
    await using plain = await shop.visit({ javaScriptEnabled: false });
    assert.equal(await plain.page.isVisible('#search'), false);
  });
});

describe('the responses of operations in Chromium', { skip, timeout: 120_000 }, () => {
  it('[OPS-1c] each have their example and their schema, of the version that is shown', async () => {
    await using opened = await shop.visit();
    const { page, requests } = opened;
    await page.click('#r-products-create summary');
    const statuses = page.locator('#r-products-create .responses > details > summary');
    await statuses.first().waitFor();
    const titles = await statuses.allInnerTexts();
    assert.deepEqual(titles.slice(0, 3), [
      '200 The results of the lines; or, of a dry run, what would be created.',
      '201 It is created.',
      '400 The request is invalid.',
    ]);
    await page.click('#r-products-create .responses > details:nth-child(2) > summary');
    const blocks = page.locator('#r-products-create details:nth-child(2) pre');
    // The page fills in the part after the event of its opening.
    await blocks.nth(1).waitFor();
    const [example = '', schema = ''] = await blocks.allInnerTexts();
    assert.equal(JSON.parse(example).name, 'text');
    assert.equal(JSON.parse(example).links.collection, '/products');
    assert.equal(JSON.parse(schema).properties.weight_in_grams.maximum, 9_007_199_254_740_991);
    assert.deepEqual(schema.match(/"\$ref": .*|"examples"/g), ['"$ref": "#/components/schemas/Product"']);
    assert.deepEqual(await axeViolations(page), []);
    await page.click('#r-orders-list summary');
    await page.locator('#r-orders-list pre').first().waitFor();
    assert.deepEqual(requests.filter((url) => url.includes('openapi')).length, 1);
    await page.goto(page.url().replace(/\/docs.*/, '/docs?api_version=1.4.0'));
    await page.click('#r-products-get summary');
    const old = await page.locator('#r-products-get pre').first().innerText();
    assert.equal(JSON.parse(old).title, 'text');
    assert.deepEqual(opened.problems, []);
  });

  it('[OPS-1c] say that they were not loaded, and are requested again', async () => {
    await using opened = await shop.visit();
    const { page } = opened;
    await page.route('**/openapi.json*', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await page.click('#r-orders-list summary');
    await page.locator('#r-orders-list .error').waitFor();
    assert.match((await page.textContent('#r-orders-list .error')) ?? '', /the server answered 503\. Close and open/);
    await page.click('#r-orders-list summary');
    await page.click('#r-orders-list summary');
    await page.locator('#r-orders-list pre').first().waitFor();
    assert.equal(await page.locator('#r-orders-list .error').count(), 0);
  });
});

describe('the index and the form of the documentation in Chromium', { skip, timeout: 240_000 }, () => {
  it('[OPS-1c] follows the rotation and the width of the window, and the position in the page', async () => {
    await using opened = await shop.visit({ viewport: { width: 1280, height: 600 } });
    const { page } = opened;
    const untilIndex = (state: string): Promise<void> => page.locator(`#index${state}`).waitFor({ state: 'attached' });
    await untilCurrent(page, 'suppliers');
    await untilIndex('[open]');
    await page.evaluate('document.getElementById("r-products").scrollIntoView({ behavior: "instant" })');
    await untilCurrent(page, 'products');
    await page.setViewportSize({ width: 360, height: 800 });
    await untilIndex(':not([open])');
    assert.equal(await page.isVisible('#here'), true);
    assert.equal(await isWiderThanWindow(page), false);
    await page.evaluate('document.getElementById("r-orders").scrollIntoView({ behavior: "instant" })');
    await untilCurrent(page, 'orders');
    assert.equal(await page.textContent('#here'), 'orders');
    await page.setViewportSize({ width: 1000, height: 360 });
    await untilIndex('[open]');
    await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
    await untilCurrent(page, 'suppliers');
    await page.evaluate('scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" })');
    await untilCurrent(page, 'For every resource');
  });

  it('[OPS-1c] has the button that closes the form in reach below a long response, and Escape closes it, too', async () => {
    await using opened = await shop.visit({ viewport: { width: 800, height: 360 } });
    const { page } = opened;
    for (const close of [
      (): Promise<void> => page.click('#close', { timeout: 5_000 }),
      () => page.keyboard.press('Escape'),
    ]) {
      await page.click('#r-products-list button');
      assert.match(await responseStatus(page), /^200/);
      await page.evaluate('document.querySelector("dialog").scrollTop = 100_000');
      const { top, bottom } = await page.evaluate<{ top: number; bottom: number }>(
        'document.getElementById("close").getBoundingClientRect().toJSON()',
      );
      assert.ok(top >= 0 && bottom <= 360, `${top} to ${bottom}`);
      await close();
      assert.equal(await page.isVisible('dialog'), false);
    }
  });

  it('[OPS-1c] works with a thousand resources: fifty results, and the responses of the last one', async () => {
    const large = await Served.start(largeModel(1_000));
    try {
      await using opened = await large.visit();
      const { page } = opened;
      assert.equal((await searched(page, 'size')).length, 50);
      assert.equal(await readFound(page), 'The first 50 of 2000 results');
      await searched(page, 'size999');
      await page.keyboard.press('Enter');
      assert.match(await page.evaluate<string>('document.activeElement.textContent'), /^size999 integer/);
      await page.keyboard.press('/');
      await page.keyboard.press('Escape');
      await untilCurrent(page, 'things999');
      await page.click('#r-things999-get summary');
      await page.locator('#r-things999-get pre').first().waitFor();
      assert.deepEqual(opened.problems, []);
    } finally {
      await large.stop();
    }
  });
});
