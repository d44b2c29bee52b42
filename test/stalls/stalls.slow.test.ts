import { it } from 'node:test';
import { assertNoStall } from './send-hostile.ts';

it('[LIM-1] no request within the limits keeps the event loop for half a second of processor time', async () => {
  await assertNoStall(50, 4_711, 8);
});
