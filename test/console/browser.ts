import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { type Visit, visitPage } from '../http/in-browsers/visited-page.ts';
import { skipWithout } from '../installed-programs.ts';
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

/** The reason for which the tests of the console are skipped; false if they run. */
export const skip = skipWithout('chromium');

/**
 * Serves a model with a console to all tests of a file. The browser ends with it.
 *
 * @param fill creates the first rows, before any test
 */
export function sharedConsole(
  model: string,
  fill: (api: string) => Promise<void> = async () => undefined,
): Pick<ConsoleServer, 'url' | 'api'> {
  let started: ConsoleServer | null = null;
  before(async () => {
    if (skip !== false) return;
    started = await startConsole(model);
    await fill(started.api);
  });
  after(async () => {
    await closeBrowser();
    await started?.close();
  });
  const read = (): ConsoleServer => started ?? assert.fail('the console is served from the first test on');
  return {
    get url() {
      return read().url;
    },
    get api() {
      return read().api;
    },
  };
}

/** Sends JSON as another client does. @returns the body of the response; null for none */
export async function sendJson<T>(api: string, method: string, path: string, body?: object): Promise<T> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(`${api}/v1${path}`, {
    method,
    headers: { 'Content-Type': type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: T = JSON.parse(text === '' ? 'null' : text);
  return parsed;
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
