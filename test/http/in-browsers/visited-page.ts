import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A page that was opened, with everything that it requested and logged. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly requests: readonly string[];
  /** Errors of its script, and what its policy has refused. */
  readonly problems: readonly string[];
}

/** Opens a page in a window of its own. */
export async function visitPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options);
  // The page of a thousand resources takes a minute on a busy machine.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/the server responded with a status of 4/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(url);
  return { page, context, requests, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** The status of the response that the form of a page has received last. */
export async function responseStatus(page: Page): Promise<string> {
  await page.locator('#status.good, #status.bad').waitFor();
  return (await page.textContent('#status')) ?? '';
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** The findings of axe in a page: the rule, and the elements. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate<AxeResult>('axe.run({ resultTypes: ["violations"] })');
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** True if a page has to be scrolled sideways. */
export function isWiderThanWindow(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
