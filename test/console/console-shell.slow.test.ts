import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPage, sharedConsole, skip } from './browser.ts';

const FIELDS = 200;
const properties = Array.from({ length: FIELDS }, (_, at) => `        field_${at}: { type: string }`).join('\n');
const MODEL = `
name: shop
limits: { body: 4MiB }
resources:
  things:
    schema:
      type: object
      properties:
${properties}
        long: { type: string, maxLength: 1100000 }
`;

const server = sharedConsole(MODEL);

describe('the console', { skip, timeout: 120_000 }, () => {
  it('keeps the theme for the next visit, and no more by that', async () => {
    await using visit = await openPage(server.url);
    const { page } = visit;
    await page.getByLabel('Theme').selectOption('dark');
    await page.reload();
    assert.equal(await page.getByLabel('Theme').inputValue(), 'dark');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.deepEqual(await page.evaluate('Object.keys(localStorage)'), ['restwright-console-theme']);
    assert.deepEqual(visit.problems, []);
  });

  it('says what is wrong where its configuration is that of another server', async () => {
    await using visit = await openPage('about:blank');
    const { page } = visit;
    await page.route(/config\.json$/, (route) => route.fulfill({ json: { hello: 'world' } }));
    await page.goto(server.url);
    await page.getByText(/is not the configuration of this console/).waitFor();
  });

  it(`edits a row of ${FIELDS} fields: a key changes its own field alone`, async () => {
    await using visit = await openPage(`${server.url}#/collections/things/new`);
    const { page } = visit;
    const first = page.getByRole('textbox', { name: 'Field 0', exact: true });
    await first.waitFor();
    await page.evaluate(`
      window.changed = new Set();
      new MutationObserver((records) => {
        for (const { target } of records) {
          const field = (target.nodeType === 1 ? target : target.parentElement).closest('.field');
          if (field !== null) window.changed.add(field);
        }
      }).observe(document.querySelector('form'), { subtree: true, childList: true, attributes: true, characterData: true });`);
    await first.pressSequentially('abc');
    assert.equal(await page.evaluate('window.changed.size'), 1);
    assert.equal((await page.getByRole('textbox').count()) > FIELDS, true);
  });

  it('stores text of 1 MiB, and text from right to left in its direction', async () => {
    await using visit = await openPage(`${server.url}#/collections/things/new`);
    const { page } = visit;
    visit.context.setDefaultTimeout(60_000);
    const long = 'sixteen letters\n'.repeat(65_536);
    await page.getByRole('textbox', { name: 'Long' }).focus();
    // In place of `fill`, which inserts so much text slowly.
    await page.evaluate(`
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
        .set.call(document.activeElement, ${JSON.stringify(long)});
      document.activeElement.dispatchEvent(new Event('input', { bubbles: true }));`);
    const name = page.getByRole('textbox', { name: 'Field 0', exact: true });
    await name.fill('שלום');
    await name.focus();
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement).direction'), 'rtl');
    const stored = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const row: { readonly long: string } = await (await stored).json();
    assert.equal(row.long.length, long.length);
    await page.getByText('Created.').waitFor();
  });
});
