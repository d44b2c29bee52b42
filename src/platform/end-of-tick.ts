/** `flush` runs before `work`: responses are sent, and read transactions end, before a commit begins. */
type Phase = 'flush' | 'work';

const queues: Record<Phase, (() => void)[]> = { flush: [], work: [] };
let isScheduled = false;

/**
 * Runs a callback once, at the end of this iteration of the event loop, when all requests that arrived in it have been
 * read. The `flush` callbacks run first, then the `work` ones, such as a group commit, for which finished responses
 * need not wait. A callback that a `flush` callback adds to `flush` runs in the next iteration.
 *
 * @param run never throws
 */
export function atEndOfTick(phase: Phase, run: () => void): void {
  queues[phase].push(run);
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    runAll('flush');
  });
  setImmediate(runAll, 'work');
}

function runAll(phase: Phase): void {
  for (const run of queues[phase].splice(0)) run();
}
