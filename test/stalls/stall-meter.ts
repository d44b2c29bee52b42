// Preloaded into a server: measures its longest event-loop iteration, in processor time of its own. Other programs on
// the machine, and the clients in another process, do not count.
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

/** Like what the server does with a large body. */
const REFERENCE = JSON.stringify(Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, ''])));

/**
 * Milliseconds of processor time that the reference takes at best: it is longer on a slower machine, and beside other
 * programs.
 */
function reference(): number {
  const times = Array.from({ length: 3 }, () => {
    const start = threadCpuTime();
    JSON.stringify(JSON.parse(REFERENCE));
    return threadCpuTime() - start;
  });
  return Math.min(...times);
}

/** A message asks for the longest iteration since the message before, or for the time of the reference. */
process.on('message', (asked) => {
  sample();
  process.send?.(asked === 'reference' ? reference() : longest);
  last = threadCpuTime();
  longest = 0;
});
process.channel?.unref();
