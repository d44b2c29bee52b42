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
const LONG = 'a_rather_long_name_without_any_place_to_break_it_in_a_narrow_window';
const MODEL = `
name: shop
title: "Books & Maps <img src=x onerror=\\"document.title='run'\\">"
version: 2.1.0
default_version: 2
auth: { issuers: [ { issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef } ] }
limits: { rate: false }
resources:
  products:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 80 }
        ${LONG}: { type: integer, description: ${LONG} }
        status: { type: string, enum: [DRAFT, ACTIVE, PAUSED, CLOSED], default: DRAFT }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [PAUSED, CLOSED], PAUSED: [ACTIVE, CLOSED] } }
    access: { read: public }
    require_if_match: true
  reviews: { parent: products, idempotency: required, schema: { type: object, properties: { stars: { type: integer } } } }
  ${LONG}: { noun: true, singular: thing, schema: { type: object, properties: { text: { type: string } } } }
versions:
  1.4.0: { deprecated: 2026-06-01, sunset: 2028-06-01, changes: [ { resource: products, rename: { title: name } } ] }
`;
const TOKEN = 'ann.products_read+products_write';

/** A server with the documentation of a model. */
interface ServedShop {
  readonly shop: ApiUnderTest;
  readonly server: HttpServer;
}

let browser: Browser;
let open: ServedShop;
let closed: ServedShop;
before(async () => {
  if (skip !== false) return;
  browser = await startChromium();
  open = await serve(MODEL);
  closed = await serve(`descriptions: authenticated\n${MODEL}`);
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  for (const { server, shop } of [open, closed]) {
    await server.close();
    await shop.close();
  }
});

async function serve(model: string): Promise<ServedShop> {
  const shop = await apiUnderTest(model, { tokens: fakeTokens });
  return { shop, server: await serveHttp({ api: shop.api, port: 0 }) };
}

const origin = ({ server }: ServedShop = open): string => `http://127.0.0.1:${server.port}`;

const visit = (path = '/docs', options: BrowserContextOptions = {}): Promise<Visit> =>
  visitPage(browser, origin() + path, options);

/** Opens every part of the page that can be opened. */
const openDetails = (page: Page): Promise<void> =>
  page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true");

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => { const at = document.activeElement; const { outlineStyle, outlineWidth } = getComputedStyle(at);
    return [at.getAttribute('aria-label') ?? (at.id || at.textContent.trim()), outlineStyle === 'none' ? 'unmarked' : outlineWidth].join(' | '); })()`);

/** Presses a key until an element has the focus; each that has it before must be marked. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<readonly string[]> {
  const reached: string[] = [];
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press(key);
    const at = await focused(page);
    assert.doesNotMatch(at, /unmarked|\| 0px/);
    reached.push(at.replace(/ \| .*$/, ''));
    if (reached.at(-1) === name) return reached;
  }
  assert.fail(`${key} does not reach ${name}: ${reached.join(', ')}`);
}

describe('the documentation of an API in Chromium', { skip, timeout: 120_000 }, () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      it(`[OPS-1c] is accessible and not wider than the window: ${colorScheme}, ${width} px`, async () => {
        await using opened = await visit('/docs', { colorScheme, viewport: { width, height: 800 } });
        const { page } = opened;
        assert.deepEqual(await axeViolations(page), []);
        await openDetails(page);
        assert.deepEqual(await axeViolations(page), []);
        assert.equal(await isWiderThanWindow(page), false);
        await page.click('#r-products-list button');
        assert.match(await responseStatus(page), /^200/);
        assert.deepEqual(await axeViolations(page), []);
        assert.equal(await isWiderThanWindow(page), false);
        assert.deepEqual(opened.problems, []);
      });
    }
  }

  it('[OPS-1c] requests nothing from elsewhere, and runs no text of the model', async () => {
    await using opened = await visit();
    assert.match(await opened.page.title(), /^Books & Maps <img src=x/);
    assert.equal(await opened.page.locator('img').count(), 0);
    assert.deepEqual(
      opened.requests.filter((url) => !url.startsWith(origin()) && !url.startsWith('data:')),
      [],
    );
    assert.deepEqual(opened.problems, []);
  });

  it('[OPS-1c] can be used by keyboard alone: token, request, response, and back', async () => {
    await using opened = await visit();
    const { page } = opened;
    const order = await tabTo(page, 'page-token');
    assert.equal(order[0], 'Skip to the documentation');
    await page.keyboard.type(TOKEN);
    await tabTo(page, 'Try: Create a product');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'body');
    await tabTo(page, 'path', 'Shift+Tab');
    await page.keyboard.press('Enter');
    assert.match(await responseStatus(page), /^201 Created/);
    await page.keyboard.press('Escape');
    assert.equal(await page.isVisible('dialog'), false);
    assert.match(await focused(page), /^Try: Create a product/);
  });

  it('[OPS-1c] sends a request with the token, and shows status, header fields and body', async () => {
    await using opened = await visit();
    const { page } = opened;
    await page.click('#r-products-create button');
    await page.fill('#body', '{"id":"one","name":"One"}');
    await page.click('.send');
    assert.match(await responseStatus(page), /^401/);
    await page.fill('#token', TOKEN);
    await page.click('.send');
    await page.locator('#status.good').waitFor();
    assert.match(await responseStatus(page), /^201 Created/);
    assert.match((await page.textContent('#response-fields')) ?? '', /location\/api\/v2\/products\/one/);
    assert.match((await page.textContent('#response-body')) ?? '', /"id": "one",\n/);
    assert.match((await page.textContent('#curl')) ?? '', /-H "Authorization: Bearer \$TOKEN"/);
    assert.doesNotMatch(await page.content(), new RegExp(TOKEN.replaceAll('+', String.raw`\+`)));
    assert.deepEqual(opened.problems, []);
  });

  it('[OPS-1c] selects the id that is missing in a path, and sends the fields that the resource needs', async () => {
    await using opened = await visit();
    const { page } = opened;
    await page.fill('#page-token', TOKEN);
    await page.click('#r-products-delete button');
    assert.equal(await page.evaluate('getSelection().toString()'), '{id}');
    await page.click('.send');
    assert.match((await page.textContent('#error')) ?? '', /^Replace \{id\} in the path by an id\./);
    assert.equal(await page.inputValue('#fields'), 'If-Match: *\n');
    await page.keyboard.press('Escape');
    await page.click('#r-reviews-create button');
    assert.match(await page.inputValue('#fields'), /^Idempotency-Key: [0-9a-f]{32}$/);
  });

  it('[OPS-1c] sends the token to the API alone, and keeps it in this tab', async () => {
    await using opened = await visit();
    const { page, context } = opened;
    await page.fill('#page-token', TOKEN);
    const sent = async (path: string): Promise<string | undefined> => {
      await page.fill('#path', path);
      const [request] = await Promise.all([
        page.waitForRequest((each) => each.url().endsWith(path)),
        page.click('.send'),
      ]);
      return (await request.allHeaders())['authorization'];
    };
    await page.click('#r-products-list button');
    assert.equal(await sent('/api/v2/products?limit=3'), `Bearer ${TOKEN}`);
    assert.equal(await sent('/livez'), undefined);
    await page.fill('#path', 'https://evil.example/');
    assert.match((await page.textContent('#error')) ?? '', /requests go to this server only/);
    await page.keyboard.press('Escape');
    await page.click('.versions a');
    await page.waitForURL(/api_version=1\.4\.0$/);
    assert.equal(await page.inputValue('#page-token'), TOKEN);
    assert.equal(await page.locator('#r-products-list .path').textContent(), '/api/v1/products');
    const other = await context.newPage();
    await other.goto(`${origin()}/docs`);
    assert.equal(await other.inputValue('#page-token'), '');
  });

  it('[OPS-1c] is shown with a token alone, where the model says so', async () => {
    await using opened = await visitPage(browser, `${origin(closed)}/docs`);
    const { page } = opened;
    assert.doesNotMatch(await page.content(), /products/);
    assert.deepEqual(await axeViolations(page), []);
    await page.fill('#page-token', 'bad');
    await page.click('#unlock');
    await page.locator('#locked-error:not(:empty)').waitFor();
    assert.match((await page.textContent('#locked-error')) ?? '', /^401: The token is not valid/);
    await page.fill('#page-token', TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('#r-products').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await page.click('#r-products-list button');
    assert.match(await responseStatus(page), /^200/);
    await page.reload();
    await page.locator('#r-products').waitFor();
    assert.deepEqual(opened.problems, []);
  });

  it('[OPS-1c] can be read without JavaScript', async () => {
    await using opened = await visit('/docs', { javaScriptEnabled: false });
    const { page } = opened;
    assert.equal(await page.isVisible('button'), false);
    await page.click('#r-products summary >> text=Filters');
    assert.equal(await page.isVisible('text=starts_with >> nth=0'), true);
    await page.click('.versions a');
    await page.waitForURL(/api_version=1\.4\.0$/);
  });
});
