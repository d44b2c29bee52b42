// A generator in a process of its own: is handed orders, says `ready` when its connections are open, runs when it hears `go`, hands back a
// tally.
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as later } from 'node:timers/promises';
import { Generator, type Orders } from './generator.ts';

const [orders] = (await once(process, 'message')) as [Orders];
const generator = new Generator(orders);
while (generator.ready < orders.connections) await later(5);
process.send?.('ready');
await once(process, 'message');
const tally = await generator.run();
process.send?.(tally, () => process.disconnect?.());
