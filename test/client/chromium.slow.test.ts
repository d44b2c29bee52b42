import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { startChromium } from '../chromium.ts';
import { skipWithout } from '../installed-programs.ts';
import { ALL_SCOPES } from '../pipeline/support/fake-tokens.ts';
import { type ServedShop, serveShop } from './served-shop.ts';

const folder = path.join(import.meta.dirname, 'in-browser');

/** Modules of Node.js, and what a page has in place of them. */
const REPLACED: Readonly<Record<string, string>> = {
  'node:test': 'node-test.ts',
  'node:assert/strict': 'node-assert.ts',
  './served-shop.ts': 'served-shop.ts',
};

/** The suite as one script. */
async function suiteScript(): Promise<string> {
  const bundle = await rolldown({
    input: path.join(folder, 'suite.ts'),
    platform: 'browser',
    plugins: [
      {
        name: 'for-pages',
        resolveId: (id) => (REPLACED[id] === undefined ? null : path.join(folder, REPLACED[id])),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife' });
  return output[0].code;
}

/** A page of an origin of its own, with the suite. */
async function openPage(
  context: TestContext,
  script: string,
): Promise<{ readonly page: Page; readonly origin: string }> {
  const pages = http.createServer((_request, response) =>
    response
      .setHeader('Content-Type', 'text/html')
      .end(`<!doctype html><meta charset="utf-8"><script>${script}</script>`),
  );
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const browser = await startChromium();
  context.after(async () => {
    await browser.close();
    pages.close();
  });
  const address = pages.address();
  const origin = `http://localhost:${address !== null && typeof address === 'object' ? address.port : 0}`;
  return { page: await browser.newPage(), origin };
}

describe('in Chromium', { skip: skipWithout('chromium') }, () => {
  it('the suite of the client passes, from a page of another origin', async (context) => {
    const { page, origin } = await openPage(context, await suiteScript());
    const shops = new Map<string, ServedShop>();
    await page.exposeFunction('openShop', async () => {
      const shop = await serveShop(origin);
      shops.set(shop.url, shop);
      return { url: shop.url, token: ALL_SCOPES };
    });
    await page.exposeFunction('newEventsOf', (url: string) => shops.get(url)?.newEvents());
    await page.exposeFunction('closeShop', (url: string) => shops.get(url)?.[Symbol.asyncDispose]());
    await page.goto(origin);
    const results: Readonly<Record<string, string | null>> = await page.evaluate('runSuite()');
    const failures = Object.entries(results).filter(([, message]) => message !== null);
    assert.deepEqual(failures, []);
    assert.ok(Object.keys(results).length > 25);
  });
});
