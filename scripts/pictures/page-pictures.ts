import path from 'node:path';
import { startChromium } from '../../test/chromium.ts';
import { DOCUMENTED_ORIGIN, TOUR_PAGE } from '../tour.ts';

/** A picture of a page of the example. */
interface PagePicture {
  /** Path in the repository. */
  readonly file: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** The pictures of pages, by Chromium, in the light scheme. */
export const PAGE_PICTURES: readonly PagePicture[] = [
  { file: 'docs/guides/docs-page.png', url: '/docs', width: 1100, height: 1320 },
  { file: 'docs/guides/root-page.png', url: '/api/v1', width: 960, height: 1270 },
];

/** Takes the pictures of the example with all of its rows. @param folder the root of the repository */
export async function takePagePictures(folder: string): Promise<void> {
  const server = await TOUR_PAGE.serve('');
  const browser = await startChromium();
  try {
    for (const { file, url, width, height } of PAGE_PICTURES) {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme: 'light',
        reducedMotion: 'reduce',
      });
      // The pages show the URL that they come from.
      await page.route(`${DOCUMENTED_ORIGIN}/**`, async (route) => {
        const target = route.request().url().replace(DOCUMENTED_ORIGIN, server.origin);
        await route.fulfill({ response: await route.fetch({ url: target, maxRedirects: 0 }) });
      });
      await page.goto(DOCUMENTED_ORIGIN + url);
      if (url === '/docs') {
        await page.click('main .operations details summary');
        await page.locator('.responses pre').first().waitFor();
        await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
      }
      await page.screenshot({ path: path.join(folder, file) });
      await page.close();
    }
  } finally {
    await browser.close();
    await server.close();
  }
}
