import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { root } from '../command.ts';
import { type Json, parseJson } from './client.ts';
import { storedEvents } from '../stored-events.ts';

/** A server of the campaign's model. */
export interface ServedModel extends AsyncDisposable {
  /** `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** The event log, which no URL serves yet: the envelopes in their order. */
  events(): readonly Json[];
}

/** Starts `restwright serve` with model.ts and an empty database in a temporary folder. */
export async function serveModel(): Promise<ServedModel> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'campaign-'));
  const program = path.join(root, 'bin', 'restwright.js');
  const model = path.join(import.meta.dirname, 'model.ts');
  const child = spawn(process.execPath, [program, 'serve', model, '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'close');
  const dispose = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true });
  };
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), exited.then(() => [''])]);
  const address = /^listening on (\S+)$/.exec(String(line[0]))?.[1];
  if (address === undefined) {
    await dispose();
    throw new Error(`the server did not start; run: bin/restwright.js serve ${model}`);
  }
  const database = path.join(folder, 'data', 'campaign.db');
  return { origin: new URL(address).origin, events: () => readEvents(database), [Symbol.asyncDispose]: dispose };
}

function readEvents(file: string): readonly Json[] {
  return storedEvents(file).map(({ json }) => parseJson(json));
}
