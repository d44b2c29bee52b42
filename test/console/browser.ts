import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Browser } from 'playwright-core';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { startChromium } from '../chromium.ts';
import { type Visit, visitPage } from '../http/in-browsers/visited-page.ts';
import { readOutput } from '../run-program.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONSOLE = path.join(ROOT, 'console');

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
 * Starts a server of a model with an empty database. Builds the console, if its sources are newer than its files.
 *
 * @param options further options of `serve`
 */
export async function startConsole(model: string, options: readonly string[] = []): Promise<ConsoleServer> {
  await buildConsole();
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-console-'));
  writeFileSync(path.join(folder, 'model.yaml'), model);
  const serving = ['model.yaml', '--console', '--port', '0', '--database', 'rows.sqlite', ...options];
  const server = startServer(folder, serving);
  const api = await waitUntilListening(server);
  return {
    url: new URL('/console', api).href,
    api,
    close: async () => {
      await killAll([server]);
      rmSync(folder, { recursive: true, force: true });
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

async function buildConsole(): Promise<void> {
  if (newestChange(path.join(CONSOLE, 'src')) <= newestChange(path.join(CONSOLE, 'dist'))) return;
  const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js');
  await readOutput([process.execPath, vite, 'build'], { folder: CONSOLE });
}

/** The time of the last change below a folder; 0 without one. */
function newestChange(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return Math.max(0, ...files.map((file) => statSync(path.join(folder, file)).mtimeMs));
  } catch {
    return 0;
  }
}
