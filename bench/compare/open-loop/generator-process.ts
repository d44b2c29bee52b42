// A load generator as a child process. Messages: options in; `ready` out when the connections are open; `go` in; the
// tally out.
import { once } from 'node:events';
import process from 'node:process';
import { LoadGenerator, type GeneratorOptions } from './load-generator.ts';

const [options] = (await once(process, 'message')) as [GeneratorOptions];
const generator = new LoadGenerator(options);
await generator.open();
process.send?.('ready');
await once(process, 'message');
const tally = await generator.run();
process.send?.(tally, () => process.disconnect?.());
