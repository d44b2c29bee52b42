import { styleText } from 'node:util';

/** How far a long piece of work has come. */
export interface Progress {
  readonly rows: number;
  /** How much of the work is behind, where this run began, and all of it: bytes of a file, or rows. */
  readonly done: number;
  readonly start: number;
  readonly total: number;
  /** Milliseconds since this run began. */
  readonly elapsed: number;
}

/** Where progress is shown: a terminal, or a stream that keeps every line. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export interface ProgressReporter {
  show(advance: Progress): void;
  /** Takes the bar away; what was printed as lines stays. */
  end(): void;
}

const BAR_CELLS = 24;
/** A terminal is redrawn no more often than this, in milliseconds; a log gets a line this often. */
const REDRAW = 100;
const LOG = 5_000;

/**
 * Reports progress in the way the output can show it: a bar on a terminal, now and then a line of text elsewhere (CI, a pipe).
 *
 * @param colour whether the output may be coloured; never under `NO_COLOR`
 */
export function reportProgress(label: string, output: ProgressOutput, colour: boolean): ProgressReporter {
  const bar = output.isTTY === true;
  let last = bar ? -REDRAW : 0;
  let drawn = false;
  return {
    show(advance) {
      if (advance.elapsed - last < (bar ? REDRAW : LOG)) return;
      last = advance.elapsed;
      drawn = bar;
      const text = formatProgress(advance);
      output.write(bar ? `\r\x1b[K${label}  ${drawBar(advance, colour)}  ${text}` : `${label}: ${text}\n`);
    },
    end() {
      if (drawn) output.write('\r\x1b[K');
      drawn = false;
    },
  };
}

/** `62 %, 105,000 rows, 18,200 rows/s, 4 s left`: the share is of all the work, the rest is what this run has done. */
export function formatProgress(advance: Progress): string {
  const { rows, elapsed, done, start, total } = advance;
  const seconds = elapsed / 1_000;
  const rate = seconds > 0 ? Math.round(rows / seconds) : 0;
  const parts = [`${Math.floor(share(advance) * 100)} %`, `${formatCount(rows)} rows`, `${formatCount(rate)} rows/s`];
  if (done > start) parts.push(`${duration((seconds * (total - done)) / (done - start))} left`);
  return parts.join(', ');
}

/** A whole number with its thousands apart. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US');
}

function share({ done, total }: Progress): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

function drawBar(advance: Progress, colour: boolean): string {
  const full = Math.round(share(advance) * BAR_CELLS);
  const done = '█'.repeat(full);
  return `${colour ? styleText('green', done, { validateStream: false }) : done}${'░'.repeat(BAR_CELLS - full)}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3_600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
