import type { WorkloadId } from './workload-id.ts';
import { WORKLOADS } from './workloads.ts';

/** Parts of a run beside the works. */
export type RunPart = 'overload' | 'cold-start' | 'memory';
const PARTS: readonly RunPart[] = ['overload', 'cold-start', 'memory'];

export interface RunArguments {
  readonly selected: ReadonlySet<WorkloadId | RunPart>;
  readonly quick: boolean;
  /** Whether all is measured as it is told in the README. */
  readonly complete: boolean;
}

/**
 * `[--quick] [work ...]`; no work stands for all.
 *
 * @throws {Error} in plain words for one that is unknown
 */
export function parseArguments(args: readonly string[]): RunArguments {
  const names = args.filter((arg) => arg !== '--quick');
  const all = [...WORKLOADS.map(({ id }) => id), ...PARTS];
  const wanted = all.filter((name) => names.length === 0 || names.includes(name));
  const unknown = names.filter((name) => !all.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: unknown. What can be measured: ${all.join(' ')}`);
  const quick = names.length < args.length;
  return { selected: new Set(wanted), quick, complete: !quick && wanted.length === all.length };
}
