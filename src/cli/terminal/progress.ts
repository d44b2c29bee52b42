import { type Output, styled } from './terminal.ts';

/** The progress of an import, an export or a relay. */
export interface Progress {
  /** The singular of what is counted. Default: `row`. */
  readonly noun?: string;
  /** Rows of this run. */
  readonly rows: number;
  /** The amount that is done, the one at which this run started, and the total: bytes of a file, or rows. */
  readonly done: number;
  readonly start: number;
  readonly total: number;
  /** Milliseconds since this run started. */
  readonly elapsed: number;
}

interface ProgressReporter {
  show(progress: Progress): void;
  /** Removes the bar; printed lines stay. */
  end(): void;
}

const BAR_CELLS = 24;
/** Milliseconds between two updates: of the bar on a terminal, of lines elsewhere. */
const BAR_INTERVAL = 100;
const LINE_INTERVAL = 5_000;

/**
 * Reports progress as a bar on a terminal, and as periodic lines elsewhere (CI, a pipe).
 *
 * @param colour whether the output may be coloured; never under `NO_COLOR`
 */
export function reportProgress(label: string, output: Output, colour: boolean): ProgressReporter {
  const bar = output.isTTY === true;
  let last = bar ? -BAR_INTERVAL : 0;
  let isVisible = false;
  return {
    show(progress) {
      if (progress.elapsed - last < (bar ? BAR_INTERVAL : LINE_INTERVAL)) return;
      last = progress.elapsed;
      isVisible = bar;
      const text = formatProgress(progress);
      output.write(bar ? `\r\x1b[K${label}  ${formatBar(progress, colour)}  ${text}` : `${label}: ${text}\n`);
    },
    end() {
      if (isVisible) output.write('\r\x1b[K');
      isVisible = false;
    },
  };
}

/** `62 %, 105,000 rows, 18,200 rows/s, 4 s left`: the percentage is of the total, the rest of this run. */
export function formatProgress(progress: Progress): string {
  const { noun = 'row', rows, elapsed, done, start, total } = progress;
  const seconds = elapsed / 1_000;
  const rate = seconds > 0 ? Math.round(rows / seconds) : 0;
  const parts = [`${Math.floor(share(progress) * 100)} %`, countNoun(rows, noun), `${formatCount(rate)} ${noun}s/s`];
  if (done > start) parts.push(`${formatDuration((seconds * (total - done)) / (done - start))} left`);
  return parts.join(', ');
}

/** A count with its noun: `1 row`, `105,000 rows`. */
export function countNoun(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** A whole number with thousands separators. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US');
}

function share({ done, total }: Progress): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

function formatBar(progress: Progress, colour: boolean): string {
  const full = Math.round(share(progress) * BAR_CELLS);
  const done = '█'.repeat(full);
  return `${styled('green', done, colour)}${'░'.repeat(BAR_CELLS - full)}`;
}

/** `8 s`, `2 min 5 s`, `1 h 3 min`: seconds are rounded up. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3_600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
