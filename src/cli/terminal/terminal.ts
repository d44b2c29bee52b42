import process from 'node:process';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { EnvironmentVariables } from '../settings.ts';

/** The signals that ask the program to stop. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

/** A standard stream, as far as commands use it. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What commands know of the process around them; tests hand in their own. */
export interface Terminal {
  readonly env: EnvironmentVariables;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Standard output for what may be long: it says when there is room for more. */
  readonly stream: Writable;
  /** Aborted, with the {@link StopSignal} as its reason, by the first signal that asks to stop. Listening begins with the first call. */
  stopSignal(): AbortSignal;
}

/** Whether an output may be coloured: a terminal, and `NO_COLOR` is unset or empty. */
export function supportsColour(output: Output, env: EnvironmentVariables): boolean {
  return output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** Text in a style where the output shows styles, else as it is. */
export function styled(style: Parameters<typeof styleText>[0], text: string, colour: boolean): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** The terminal of this very process. A second signal to stop ends it at once, with 130 (SIGINT) or 143 (SIGTERM). */
export function processTerminal(): Terminal {
  const stop = new AbortController();
  let listening = false;
  const on = (signal: StopSignal): void => {
    if (stop.signal.aborted) process.exit(exitCodeOf(signal));
    stop.abort(signal);
  };
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    stream: process.stdout,
    stopSignal() {
      if (!listening) {
        process.on('SIGTERM', () => on('SIGTERM'));
        process.on('SIGINT', () => on('SIGINT'));
      }
      listening = true;
      return stop.signal;
    },
  };
}

/**
 * Ends this process once what was written has left it. It does not end by itself where the code of a model has left something behind: a timer,
 * a connection that is kept.
 */
export async function endProcess(exitCode: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(exitCode);
}

function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve();
    else stream.once('error', () => resolve()).write('', () => resolve());
  });
}

/** Whether a signal asks to stop. */
export function isStopSignal(signal: string | null): boolean {
  return signal === 'SIGTERM' || signal === 'SIGINT';
}

/** The signal that asked to stop. */
export function signalOf(stop: AbortSignal): StopSignal {
  return stop.reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM';
}

/** The exit code of a program that a signal ended before it was done: 128 + its number. */
export function exitCodeOf(signal: StopSignal): 130 | 143 {
  return signal === 'SIGINT' ? 130 : 143;
}
