import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { PIN_LOAD, startProcess } from '../../processes.ts';
import { type LoadRequest, rawRequest } from '../requests.ts';
import type { GeneratorOptions } from './load-generator.ts';
import { type LoadTally, mergeTallies } from './tally.ts';

/** A load whose rate does not depend on the server's responses. */
interface OpenLoad extends Pick<GeneratorOptions, 'port' | 'connections' | 'rate' | 'seconds'> {
  readonly requests: readonly LoadRequest[];
}

/** One process sends about forty thousand requests per second: two are enough for the fastest server here. */
const GENERATORS = 2;

/** Sends requests on a fixed schedule, from separate processes that do not use the server's processor. */
export async function openLoop(load: OpenLoad): Promise<LoadTally> {
  const requests = load.requests.map(rawRequest);
  const generators = await Promise.all(
    Array.from({ length: GENERATORS }, (_, generatorIndex) => {
      const share = requests.filter((_request, index) => index % GENERATORS === generatorIndex % requests.length);
      return startGenerator({
        port: load.port,
        requests: share,
        connections: Math.ceil(load.connections / GENERATORS),
        rate: load.rate / GENERATORS,
        seconds: load.seconds,
        stamp: `${Date.now()}${generatorIndex}`,
      });
    }),
  );
  const tallies = generators.map((generator) => awaitMessage<LoadTally>(generator));
  for (const generator of generators) generator.send('go');
  return mergeTallies(await Promise.all(tallies));
}

/** Resolves when all its connections are open. */
async function startGenerator(orders: GeneratorOptions): Promise<ChildProcess> {
  const [command = '', ...pinned] = PIN_LOAD;
  const program = path.join(import.meta.dirname, 'generator-process.ts');
  const child = await startProcess(command, [...pinned, process.execPath, program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  child.send(orders);
  await awaitMessage(child);
  return child;
}

async function awaitMessage<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('a load generator exited early');
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [Message];
  ended.catch(() => undefined);
  return message;
}
