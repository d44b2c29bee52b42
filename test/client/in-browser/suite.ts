// The suite of the client, as a page loads it.
import '../client.test.ts';
import '../retries.test.ts';
import { runAll } from './node-test.ts';

Reflect.set(globalThis, 'runSuite', runAll);
