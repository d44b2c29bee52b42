import { once } from 'node:events';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { EnvironmentVariables } from '../setting-value.ts';

/** The signals that stop the program. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

/** A standard stream. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The environment and the standard streams of a command; tests provide their own. */
export interface Terminal {
  readonly env: EnvironmentVariables;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Standard output with backpressure, for long output. */
  readonly stream: Writable;
  /** Aborted by the first {@link StopSignal}, which is its reason. The first call starts listening for signals. */
  stopSignal(): AbortSignal;
}

/** True if an output supports colours: it is a terminal, and `NO_COLOR` is unset or empty. */
export function supportsColour(output: Output, env: EnvironmentVariables): boolean {
  return output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** Styles a text where colours are supported. */
export function styled(style: Parameters<typeof styleText>[0], text: string, colour: boolean): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** The terminal of this process. A second signal ends the process immediately, with 130 (SIGINT) or 143 (SIGTERM). */
export function processTerminal(): Terminal {
  const stop = new AbortController();
  let listening = false;
  const on = (signal: StopSignal): void => {
    if (stop.signal.aborted) process.exit(toExitCode(signal));
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
 * Ends this process once its output is flushed. It does not exit by itself while the code of a model holds a timer or a
 * connection open.
 */
export async function endProcess(exitCode: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(exitCode);
}

function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve();
    else stream.once('error', () => resolve()).write('', () => resolve());
  });
}

/** True if a signal stops the program. */
export function isStopSignal(signal: string | null): boolean {
  return signal === 'SIGTERM' || signal === 'SIGINT';
}

/** Waits until a signal stops the program. @param stop as {@link Terminal.stopSignal} has it */
export async function waitForStop(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort');
}

/** The signal that aborted {@link Terminal.stopSignal}. */
export function readStopSignal(stop: AbortSignal): StopSignal {
  return stop.reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM';
}

/** The exit code of a command that a signal stopped before it was done: 128 plus the number of the signal. */
export function toExitCode(signal: StopSignal): 130 | 143 {
  return signal === 'SIGINT' ? 130 : 143;
}
