import { styled, type Output } from '../../src/cli/terminal/terminal.ts';

/** Progress of a run. */
export interface Progress {
  /** Starts the next step. */
  step(label: string): void;
  /** Prints a line that stays. */
  line(text: string): void;
  end(): void;
}

const CELLS = 24;

/** Shows a progress bar on a terminal, and only lines elsewhere. @param steps total number of steps */
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
