// A process that removes events beyond the last 1,024, slowly: `node remove-events.ts DATABASE`.
import process from 'node:process';
import { EventRetention } from '../../../../src/events/retention/retention.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createRandom } from '../../../../src/platform/random.ts';
import { openSample } from '../open-sample.ts';

const [file = ''] = process.argv.slice(2);
const random = createRandom();
const store = await openSample({ path: file, random, clock: systemClock });
const settings = { retention: Number.MAX_SAFE_INTEGER, maxRows: 1_024, hold: Number.MAX_SAFE_INTEGER, relays: [] };
const retention = new EventRetention({
  store,
  settings,
  subscribers: [],
  clock: systemClock,
  random,
  observe: () => undefined,
});
process.stdout.write('begun\n');
await retention.run();
await store.close();
