// Preloaded into a server: measures its longest event-loop iteration, in processor time of its own. Other programs on the machine, and the
// clients in another process, do not count.
import process from 'node:process';
import { threadCpuTime } from '../../src/platform/clock.ts';

/** Milliseconds between two samples, which are at most one iteration and this long apart. */
const RESOLUTION = 2;

let last = threadCpuTime();
let longest = 0;

function sample(): void {
  const now = threadCpuTime();
  longest = Math.max(longest, now - last);
  last = now;
}

setInterval(sample, RESOLUTION).unref();

/** Any message asks for the longest iteration since the message before. */
process.on('message', () => {
  sample();
  process.send?.(longest);
  longest = 0;
});
process.channel?.unref();
