import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type HttpServer, serveHttp } from '../../../src/http/serve-http.ts';
import { startChromium } from '../../chromium.ts';
import { skipWithout } from '../../installed-programs.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { axeViolations, isWiderThanWindow, responseStatus, type Visit, visitPage } from './visited-page.ts';

const skip = skipWithout('chromium');
const TITLE = `Books & Maps </title><img src=x onerror="document.title='run'">`;
const MODEL = `
name: shop
title: ${JSON.stringify(TITLE)}
version: 1.4.2
resources:
  products:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        a_rather_long_name_of_a_field_without_any_place_to_break_it_in_a_narrow_window: { type: integer }
  a_rather_long_name_of_a_collection_without_any_place_to_break_it: { noun: true, singular: thing, schema: { type: object, properties: { text: { type: string } } } }
  reviews: { parent: products, schema: { type: object, properties: { stars: { type: integer } } } }
`;

let browser: Browser;
let shop: ApiUnderTest;
let server: HttpServer;
before(async () => {
  if (skip !== false) return;
  browser = await startChromium();
  shop = await apiUnderTest(MODEL);
  server = await serveHttp({ api: shop.api, port: 0 });
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  await server.close();
  await shop.close();
});

const origin = (): string => `http://127.0.0.1:${server.port}`;

const visit = (path = '/', options: BrowserContextOptions = {}): Promise<Visit> =>
  visitPage(browser, origin() + path, options);

async function send(page: Page, method: string, path: string, body?: string): Promise<string> {
  await page.selectOption('#method', method);
  await page.fill('#path', path);
  if (body !== undefined) await page.fill('#body', body);
  await page.click('.send');
  return await responseStatus(page);
}

describe('the page of an API in Chromium', { skip, timeout: 120_000 }, () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      it(`[NEG-1] is accessible and not wider than the window: ${colorScheme}, ${width} px`, async () => {
        await using opened = await visit('/', { colorScheme, viewport: { width, height: 800 } });
        const { page } = opened;
        assert.deepEqual(await axeViolations(page), []);
        assert.equal(await isWiderThanWindow(page), false);
        for (const summary of await page.locator('summary:visible').all()) await summary.click();
        await page.click('button[data-method=POST] >> nth=0');
        assert.match(await send(page, 'GET', '/api/v1/products'), /^200/);
        await page.click('#head summary');
        assert.deepEqual(await axeViolations(page), []);
        assert.match(await send(page, 'POST', '/api/v1/products', '{'), /^400/);
        await page.fill('#path', 'elsewhere');
        assert.deepEqual(await axeViolations(page), []);
        assert.equal(await isWiderThanWindow(page), false);
        assert.deepEqual(opened.problems, []);
      });
    }
  }

  it('[NEG-1] requests nothing from elsewhere, and runs no text of the model', async () => {
    await using opened = await visit('/api');
    await send(opened.page, 'GET', '/api/v1/products');
    assert.equal(await opened.page.title(), TITLE);
    assert.equal(await opened.page.locator('img').count(), 0);
    assert.ok(
      opened.requests.every((url) => url.startsWith(origin())),
      opened.requests.join(' '),
    );
    assert.deepEqual(opened.problems, []);
  });

  it('[NEG-1] can be used by keyboard', async () => {
    await using opened = await visit();
    const { page } = opened;
    const reached: string[] = [];
    const focused = `(() => { const at = document.activeElement; const { outlineStyle, outlineWidth } = getComputedStyle(at);
      return [at.id || at.textContent.trim(), outlineStyle === 'none' ? 'unmarked' : outlineWidth].join(' '); })()`;
    for (let key = 0; key < 30; key += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate<string>(focused);
      assert.doesNotMatch(at, /unmarked|0px/);
      reached.push(at.replace(/ \S+$/, ''));
      if (at.startsWith('curl')) break;
    }
    const order = [
      'Send a request',
      'products',
      'GET',
      'POST',
      '2 fields of products',
      'method',
      'path',
      'Send',
      'copy',
      'curl',
    ];
    assert.deepEqual(
      reached.filter((each, index) => order.includes(each) && reached.indexOf(each) === index),
      order,
    );
    await page.focus('#path');
    await page.keyboard.press('Enter');
    assert.match(await responseStatus(page), /^200/);
    await page.focus('.collections summary');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.collections details[open]').count(), 1);
    await page.focus('button[data-method=POST]');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'body');
  });

  it('[NEG-1, AUTH-11] sends requests with each method, and shows status, header fields and body', async () => {
    await using opened = await visit();
    const { page } = opened;
    await shop.newEvents();
    await page.click('button[data-method=POST] >> nth=0');
    await page.click('.send');
    assert.match(await responseStatus(page), /^201 Created/);
    assert.match((await page.textContent('#response-fields')) ?? '', /location\/api\/v1\/products\/example/);
    assert.match((await page.textContent('#response-body')) ?? '', /"id": "example",\n/);
    await page.click('#response-body a >> nth=0');
    assert.match(await responseStatus(page), /^200/);
    assert.equal(await page.inputValue('#path'), '/api/v1/products/example');
    assert.match(await send(page, 'PATCH', '/api/v1/products/example', '{"name":"x"}'), /^200/);
    assert.match(await send(page, 'PUT', '/api/v1/products/example', '{}'), /^400/);
    assert.match(await send(page, 'QUERY', '/api/v1/products', 'limit=1'), /^200/);
    assert.match(await send(page, 'HEAD', '/api/v1/products'), /^200/);
    assert.equal(await page.isVisible('#response-body'), false);
    assert.match(await send(page, 'DELETE', '/api/v1/products/example'), /^204/);
    assert.deepEqual(
      (await shop.newEvents()).map(({ type }) => type),
      ['product.created', 'product.updated', 'product.deleted'],
    );
    assert.deepEqual(opened.problems, []);
  });

  it('[NEG-1, AUTH-11] sends nothing to another origin', async () => {
    await using opened = await visit();
    const { page, requests } = opened;
    for (const path of ['https://evil.example/', '//evil.example/', String.raw`/\evil.example`, 'api']) {
      await page.fill('#path', path);
      await page.click('.send');
      assert.match((await page.textContent('#error')) ?? '', /requests go to this server only/, path);
    }
    assert.equal(requests.length, 1);
  });

  it('[NEG-1] shows a command by which curl sends the same', async () => {
    await using opened = await visit();
    const { page } = opened;
    const body = `{"id":"it's \\"quoted\\" $HOME \`x\` \\\\ é","name":"@a\n b"}`.replace('\n', '\\n');
    await page.selectOption('#method', 'POST');
    await page.fill('#path', "/api/v1/products?dry_run=true&fields=it's");
    await page.click('form details summary');
    await page.fill('#fields', 'Prefer: handling=lenient\nX-Correlation-ID: it-s');
    await page.fill('#body', body);
    const command = (await page.textContent('#curl')) ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
    const seen: { readonly id: string; readonly name: string } = JSON.parse(stdout);
    assert.deepEqual([seen.id, seen.name], [JSON.parse(body).id, '@a\n b']);
    await page.selectOption('#method', 'GET');
    await page.fill('#path', '/api/v1/products?name[starts_with]=none');
    const listed = await promisify(execFile)('sh', ['-c', `${(await page.textContent('#curl')) ?? ''} -s`]);
    assert.deepEqual(JSON.parse(listed.stdout).data, []);
  });

  it('[NEG-1] has its links without JavaScript', async () => {
    await using opened = await visit('/', { javaScriptEnabled: false });
    const { page } = opened;
    assert.equal(await page.isVisible('form'), false);
    assert.equal(await page.isVisible('button'), false);
    assert.match((await page.textContent('noscript')) ?? '', /needs JavaScript/);
    await page.click('text=products >> nth=0');
    await page.waitForURL(`${origin()}/api/v1/products`);
    assert.match(await page.content(), /"data":\[/);
  });
});
