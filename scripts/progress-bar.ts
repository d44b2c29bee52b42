import process from 'node:process';
import { styleText } from 'node:util';

const CELLS = 30;
/** Milliseconds between two updates: of the bar on a terminal, of lines elsewhere. */
const BAR_INTERVAL = 100;
const LINE_INTERVAL = 10_000;

/**
 * Shows how far a program has come on its standard error: a bar on a terminal, elsewhere a line from time to time.
 *
 * @returns shows a share from 0 to 1, and a text
 */
export function progressBar(): (share: number, text: string) => void {
  const isTerminal = process.stderr.isTTY;
  let last = performance.now();
  return (share, text) => {
    const now = performance.now();
    if (now - last < (isTerminal ? BAR_INTERVAL : LINE_INTERVAL)) return;
    last = now;
    const full = Math.round(Math.min(1, share) * CELLS);
    const bar = `${styleText('green', '█'.repeat(full))}${'░'.repeat(CELLS - full)}`;
    process.stderr.write(isTerminal ? `\r\x1b[K${bar} ${text}` : `${text}\n`);
  };
}

/** Removes the bar. */
export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
