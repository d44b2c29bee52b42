// A process of `run.ts`: `node relay-process.ts fill|drain|alone|serve MODEL DATABASE COUNT`. Prints JSON.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { openBroker } from '../../src/events/relays/open-broker.ts';
import type { Broker, RelayMessage } from '../../src/events/relays/broker.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { loadModel, serveHttp, startApi } from '../../src/index.ts';

const [task = '', file = '', database = '', number = '0'] = process.argv.slice(2);
const COUNT = Number(number);
const LINES = 5_000;
const observe = (): void => undefined;
const { model } = loadModel({ file, text: readFileSync(file, 'utf8') });

/** Adds events to the log, which the relay has not sent. */
async function fill(): Promise<void> {
  const { api, store, close } = await startApi({ model, database, dispatch: false, observe });
  await store.deliveries.register('relay:bench', []);
  const handle = createFetchHandler(api);
  const headers = { 'Content-Type': 'application/x-ndjson' };
  for (let sent = 0; sent < COUNT; sent += LINES) {
    const body = '{"name":"A teapot","price":12}\n'.repeat(LINES);
    await (await handle(new Request('http://localhost/api/v1/products', { method: 'POST', headers, body }))).text();
  }
  await close();
}

/** Counts the messages that a broker has acknowledged. */
function counted(broker: Broker, onAcknowledged: (messages: readonly RelayMessage[]) => void): Broker {
  return {
    address: broker.address,
    async publish(messages) {
      const result = await broker.publish(messages);
      onAcknowledged(messages.slice(0, result.acknowledged));
      return result;
    },
    close: () => broker.close(),
  };
}

/** Events that are sent before the time counts: the broker is connected then. */
const FIRST = 500;

/** Prints the rate, and the processor time of this process for each event. */
function printRate(began: number, cpu: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(cpu);
  const rate = ((COUNT - FIRST) / (performance.now() - began)) * 1_000;
  process.stdout.write(`${JSON.stringify({ rate, cpu: (user + system) / (COUNT - FIRST) })}\n`);
}

/** Sends the log to the broker, beside an API that no one uses. */
async function drain(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  let [began, cpu] = [Number.NaN, process.cpuUsage()];
  const started = await startApi({
    model,
    database,
    observe,
    openBroker: async (target) =>
      counted(await openBroker(target, '.'), (messages) => {
        if (sent === 0) [began, cpu] = [performance.now(), process.cpuUsage()];
        sent += messages.length;
        if (sent === COUNT) resolve();
      }),
  });
  const server = await serveHttp({ api: started.api, port: 0 });
  await promise;
  printRate(began, cpu);
  await server.close();
  await started.close();
}

/** The baseline: sends the same messages, made before, without the log and without positions. */
async function sendAlone(): Promise<void> {
  const { api, store, close } = await startApi({ model, database, dispatch: false, observe });
  const [relay] = api.relays.all;
  if (relay === undefined) throw new Error('the model has no relay');
  const messages: RelayMessage[] = [];
  for (let after = 0; messages.length < COUNT; after = messages.at(-1)?.sequence ?? after)
    messages.push(
      ...(await store.events.list({ after, until: COUNT, limit: 500 })).flatMap((each) => relay.compose(each) ?? []),
    );
  const broker = await openBroker(relay.settings.target, '.');
  const first = await broker.publish(messages.slice(0, FIRST));
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  for (let sent = first.acknowledged; sent < COUNT; )
    sent += (await broker.publish(messages.slice(sent, sent + 500))).acknowledged;
  printRate(began, cpu);
  await broker.close();
  await close();
}

/** Serves, and prints the milliseconds from the timestamp of each event to its acknowledgement. */
async function serve(): Promise<void> {
  const delays: number[] = [];
  const { api } = await startApi({
    model,
    database,
    observe,
    openBroker: async (target) =>
      counted(await openBroker(target, '.'), (messages) => {
        const now = Date.now();
        for (const { body } of messages) delays.push(now - Date.parse(JSON.parse(body).payload.timestamp));
        if (delays.length >= COUNT) process.stdout.write(`${JSON.stringify(delays.splice(0))}\n`);
      }),
  });
  const { port } = await serveHttp({ api, port: 0 });
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
}

const TASKS: Readonly<Record<string, () => Promise<void>>> = { fill, drain, alone: sendAlone, serve };
await TASKS[task]?.();
