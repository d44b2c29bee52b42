/** What is to be done at the end of a turn of the event loop: what leaves or ends goes before what is work. */
type Step = 'flush' | 'work';

const due: Record<Step, (() => void)[]> = { flush: [], work: [] };
let planned = false;

/**
 * Runs something once when all that arrived in this turn of the event loop was looked at: first what leaves, then what is work, such as a
 * commit, which whoever has an answer need not wait for. What leaves and is added while others do is of the next turn.
 *
 * @param run never throws
 */
export function atEndOfTick(step: Step, run: () => void): void {
  due[step].push(run);
  if (planned) return;
  planned = true;
  setImmediate(() => {
    planned = false;
    take('flush');
  });
  setImmediate(take, 'work');
}

function take(step: Step): void {
  for (const run of due[step].splice(0)) run();
}
