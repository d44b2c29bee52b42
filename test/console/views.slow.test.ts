import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { axeViolations, isWiderThanWindow, visitPage } from '../http/in-browsers/visited-page.ts';
import { startChromium } from '../chromium.ts';
import { skipWithout } from '../installed-programs.ts';
import { AUTH, type BuiltConsole, findConsole, serveConsole, type ServedConsole, token } from './served-console.ts';

const skip = skipWithout('chromium');

const MODEL = `
name: shop
title: The shop
${AUTH}
webhooks: {}
limits: { rate: false }
resources:
  authors: { schema: { type: object, required: [name], properties: { name: { type: string, maxLength: 80 } } } }
  books:
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string, maxLength: 80 }
        status: { type: string, enum: [DRAFT, PUBLISHED], default: DRAFT }
        price: { type: number, minimum: 0 }
        author_id: { type: string, x-references: authors }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [PUBLISHED] } }
`;
const SCOPES =
  'authors:read authors:write books:read books:write events:read webhooks:read webhooks:write api_keys:read api_keys:write metrics:read';

/** The most compressed bytes of the first view. */
const BUDGET = 160_000;

let browser: Browser;
let served: ServedConsole;
let build: BuiltConsole;
let credentials: string;
before(async () => {
  if (skip !== false) return;
  build = findConsole();
  browser = await startChromium();
  served = await serveConsole(MODEL, build.folder);
  credentials = await token(SCOPES);
  const created = await fetch(`${served.origin}/api/v1/authors`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${credentials}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Ann' }),
  });
  assert.equal(created.status, 201);
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  await served[Symbol.asyncDispose]();
  build.remove();
});

/** Signs in by the keyboard. */
async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Token or API key').waitFor();
  await page.getByLabel('Token or API key').focus();
  await page.keyboard.insertText(credentials);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'The shop', exact: true }).waitFor();
}

const VIEWS = ['', 'collections/authors', 'collections/books', 'events', 'webhooks', 'keys', 'versions', 'health'];

describe('the views of the console', { skip }, () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 768, 1_920])
      it(`[OPS-10c] have no barriers at ${width} px in ${colorScheme} colours, and ask their own server alone`, async () => {
        const options = { colorScheme, viewport: { width, height: 900 } };
        await using visit = await visitPage(browser, served.url, options);
        const { page, problems, requests } = visit;
        visit.context.setDefaultTimeout(20_000);
        await page.getByLabel('Token or API key').waitFor();
        assert.deepEqual(await axeViolations(page), [], 'sign-in');
        await signIn(page);
        for (const view of VIEWS) {
          await page.goto(`${served.url}#/${view}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.waitForLoadState('networkidle');
          assert.deepEqual(await axeViolations(page), [], view);
          assert.equal(await isWiderThanWindow(page), false, `${view} is wider than the window`);
        }
        assert.deepEqual(problems, []);
        const others = requests.filter((each) => !each.startsWith(served.origin) && !each.startsWith('data:'));
        assert.deepEqual(others, []);
      });

  it('[OPS-10a] load at most 160 kB before a person can sign in', async () => {
    await using visit = await visitPage(browser, 'about:blank');
    const sizes: number[] = [];
    visit.page.on('response', async (response) => {
      if (!response.url().includes('/console')) return;
      const { responseBodySize } = await response.request().sizes();
      sizes.push(responseBodySize);
    });
    await visit.page.goto(served.url);
    await visit.page.getByLabel('Token or API key').waitFor();
    await visit.page.waitForLoadState('networkidle');
    const sum = sizes.reduce((one, other) => one + other, 0);
    assert.ok(sum > 0 && sum <= BUDGET, `${sum} bytes`);
  });
});
