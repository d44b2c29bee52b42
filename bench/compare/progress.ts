import { styled, type Output } from '../../src/cli/terminal/terminal.ts';

/** How far the run has come, for the person who waits for it. */
export interface Progress {
  /** A step begins. */
  step(label: string): void;
  /** Something is told for good: a line that stays. */
  line(text: string): void;
  end(): void;
}

const CELLS = 24;

/** A bar on a terminal, lines alone elsewhere. @param steps how many there are in all */
export function showProgress(steps: number, output: Output, colour: boolean): Progress {
  const bar = output.isTTY === true;
  let done = -1;
  const clear = (): void => void (bar && output.write('\r\u001b[K'));
  return {
    step(label) {
      done += 1;
      if (!bar) return;
      const full = Math.min(CELLS, Math.floor((done / steps) * CELLS));
      output.write(
        `\r\u001b[K${styled('green', '█'.repeat(full), colour)}${'░'.repeat(CELLS - full)}  ${done}/${steps}  ${label}`,
      );
    },
    line(text) {
      clear();
      output.write(`${text}\n`);
    },
    end: clear,
  };
}
