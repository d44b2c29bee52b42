import type { Browser } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { type Visit, visitPage } from '../http/in-browsers/visited-page.ts';
import { findConsole, serveConsole } from './served-console.ts';

/** Milliseconds that a page may take for one step. */
const WAIT = 20_000;

/** A server with the console of this checkout. */
export interface ConsoleServer {
  /** The URL of the console. */
  readonly url: string;
  /** The URL of the API: `http://127.0.0.1:1234/api`. */
  readonly api: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a server of a model with an empty database, and a console of its own build.
 *
 * @param isDevelopment true if webhooks may go to this machine. Default: false
 */
export async function startConsole(model: string, isDevelopment = false): Promise<ConsoleServer> {
  const { folder, remove } = findConsole();
  const served = await serveConsole(model, folder, isDevelopment);
  return {
    url: served.url,
    api: `${served.origin}/api`,
    close: async () => {
      await served[Symbol.asyncDispose]();
      remove();
    },
  };
}

let browser: Promise<Browser> | null = null;

/** Opens a page in a window of its own; all windows are of one browser. */
export async function openPage(url: string): Promise<Visit> {
  browser ??= startChromium();
  const visit = await visitPage(await browser, url);
  visit.context.setDefaultTimeout(WAIT);
  return visit;
}

/** Ends the browser. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}
