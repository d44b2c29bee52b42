import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { axeViolations } from '../http/in-browsers/visited-page.ts';
import { openPage, sharedConsole, skip } from './browser.ts';

const MODEL = `
name: shop
limits: { rate: false }
resources:
  parts:
    schema:
      type: object
      required: [number]
      properties: { number: { type: integer }, name: { type: string } }
    indexes: [number]
`;
const ROWS = 900;
/** The rows of six pages, and that of the titles. */
const MAX_ROWS = 301;

const server = sharedConsole(MODEL, async (api) => {
  const rows = Array.from({ length: ROWS }, (_, number) => JSON.stringify({ number, name: `Part ${number}.` }));
  const response = await fetch(`${api}/v1/parts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: rows.join('\n'),
  });
  assert.doesNotMatch(await response.text(), /"error"/);
});

async function openParts() {
  const visit = await openPage(`${server.url}#/collections/parts?sort=number`);
  await visit.page.getByRole('grid', { name: 'Rows of parts' }).waitFor();
  await findCell(visit.page, 0).waitFor();
  return visit;
}

function findCell(page: Page, number: number) {
  return page.getByRole('gridcell', { name: `Part ${number}.`, exact: true });
}

/** Scrolls to an end of the loaded rows until a part is among them. @returns the most rows that the page had */
async function scrollTo(page: Page, number: number, end: 'scrollHeight' | 'clientTop'): Promise<number> {
  let most = 0;
  while ((await findCell(page, number).count()) === 0) {
    most = Math.max(most, await page.getByRole('row').count());
    const edge = page.getByRole('row').nth(end === 'scrollHeight' ? -1 : 1);
    const loaded = (await edge.getAttribute('aria-rowindex')) ?? '';
    await page.evaluate(`{ const frame = document.querySelector('.grid-frame'); frame.scrollTop = frame.${end}; }`);
    const next = Number(loaded) + (end === 'scrollHeight' ? 50 : -50);
    await page.locator(`[aria-rowindex="${next}"]`).waitFor();
  }
  return Math.max(most, await page.getByRole('row').count());
}

describe('the grid of a large collection in the console', { skip, timeout: 240_000 }, () => {
  it('reads pages in both directions as it is scrolled, and holds no more than six of them', async () => {
    await using visit = await openParts();
    const { page } = visit;
    assert.equal(await scrollTo(page, ROWS - 1, 'scrollHeight'), MAX_ROWS);
    assert.equal(await findCell(page, 0).count(), 0);
    const last = page.getByRole('row').filter({ has: findCell(page, ROWS - 1) });
    assert.equal(await last.getAttribute('aria-rowindex'), String(ROWS + 1));
    assert.equal(await scrollTo(page, 0, 'clientTop'), MAX_ROWS);
    const first = page.getByRole('row').filter({ has: findCell(page, 0) });
    assert.equal(await first.getAttribute('aria-rowindex'), '2');
    assert.deepEqual(visit.problems, []);
  });

  it('moves by arrows, pages and ends, opens a row by Enter, and returns to its place', async () => {
    await using visit = await openParts();
    const { page } = visit;
    const isFocused = (number: number) => findCell(page, number).and(page.locator(':focus')).waitFor();
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await isFocused(0);
    await page.keyboard.press('ArrowDown');
    await isFocused(1);
    await page.keyboard.press('Control+End');
    await isFocused(49);
    await findCell(page, 99).waitFor();
    await page.keyboard.press('ArrowDown');
    await isFocused(50);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageUp');
    await isFocused(50);
    assert.deepEqual(await axeViolations(page), []);
    const reachable = await page.locator('[role=grid] [tabindex="0"]').count();
    assert.equal(reachable, 1);
    const place = await page.evaluate<number>('document.querySelector(".grid-frame").scrollTop');
    assert.ok(place > 0);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await page.goBack();
    await findCell(page, 50).waitFor();
    assert.equal(await page.evaluate<number>('document.querySelector(".grid-frame").scrollTop'), place);
    assert.deepEqual(visit.problems, []);
  });

  it('returns from later rows to the first ones by Control and Home', async () => {
    await using visit = await openParts();
    const { page } = visit;
    await scrollTo(page, 500, 'scrollHeight');
    await findCell(page, 500).focus();
    await page.keyboard.press('Control+Home');
    await findCell(page, 0).waitFor();
    assert.deepEqual(visit.problems, []);
  });
});
