// A generator in a process of its own: is handed orders, says `ready` when its connections are open, runs when it hears `go`, hands back a
// tally.
import { once } from 'node:events';
import process from 'node:process';
import { LoadGenerator, type GeneratorOptions } from './load-generator.ts';

const [orders] = (await once(process, 'message')) as [GeneratorOptions];
const generator = new LoadGenerator(orders);
await generator.open();
process.send?.('ready');
await once(process, 'message');
const tally = await generator.run();
process.send?.(tally, () => process.disconnect?.());
