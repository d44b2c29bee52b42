import { Writable } from 'node:stream';
import type { EnvironmentVariables } from '../../src/cli/setting-value.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';

/** A terminal that records its output; `stop` aborts its signal. */
interface RecordedTerminal extends Terminal {
  readonly stop: AbortController;
  /** The output so far. */
  written(): { readonly stdout: string; readonly stderr: string };
}

export function recordedTerminal(env: EnvironmentVariables = {}): RecordedTerminal {
  const written = { stdout: '', stderr: '' };
  const stop = new AbortController();
  return {
    env,
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
    stream: new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.stdout += chunk.toString();
        done();
      },
    }),
    stop,
    stopSignal: () => stop.signal,
    written: () => ({ ...written }),
  };
}
