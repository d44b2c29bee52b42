import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import type { Receipts } from './receiver.ts';

/** A receiver in a process of its own. */
export interface Receiver {
  readonly url: string;
  /** The times of receipt in milliseconds since the epoch, by the ids of the rows. */
  readonly arrivals: ReadonlyMap<string, number>;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(path.join(import.meta.dirname, 'receiver.ts'), { execArgv: [] });
  process.once('exit', () => child.kill('SIGKILL'));
  const [address]: { readonly port: number }[] = await once(child, 'message');
  const arrivals = new Map<string, number>();
  child.on('message', ({ ids, at }: Receipts) => {
    for (const [index, id] of ids.entries()) arrivals.set(id, at[index] ?? Number.NaN);
  });
  return { url: `http://127.0.0.1:${address?.port}/`, arrivals, close: () => child.disconnect() };
}
