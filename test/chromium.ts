import { type Browser, chromium } from 'playwright-core';
import { programFile } from './installed-programs.ts';

/** Starts the Chromium of the system without a window. The caller closes it. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: programFile('chromium') ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}
