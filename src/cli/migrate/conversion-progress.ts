import type { Observe } from '../../observe/observation.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { reportProgress } from '../terminal/progress.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';

/** Shows the progress of rows that are converted for a second model, table by table. */
export function showConversions({ stderr, env }: Terminal): { readonly observe: Observe; readonly end: () => void } {
  const started = monotonicNow();
  const colour = supportsColour(stderr, env);
  let current: { readonly table: string; readonly reporter: ReturnType<typeof reportProgress> } | null = null;
  return {
    observe(observation) {
      if (observation.kind !== 'rows-converted') return;
      const { table, rows, total } = observation;
      if (current?.table !== table) {
        current?.reporter.end();
        current = { table, reporter: reportProgress(table, stderr, colour) };
      }
      current.reporter.show({ rows, done: rows, start: 0, total, elapsed: monotonicNow() - started });
    },
    end: () => current?.reporter.end(),
  };
}
