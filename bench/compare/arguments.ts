import type { WorkloadId } from './workload-id.ts';
import { WORKLOADS } from './workloads.ts';

/** Parts of a run other than workloads. */
type RunPart = 'overload' | 'cold-start' | 'memory';
const PARTS: readonly RunPart[] = ['overload', 'cold-start', 'memory'];

export interface RunArguments {
  readonly selected: ReadonlySet<WorkloadId | RunPart>;
  readonly quick: boolean;
  /** True if the run measures everything at full length, so that its results replace those in the README. */
  readonly complete: boolean;
}

/**
 * Parses `[--quick] [workload ...]`. Without workloads, all are selected.
 *
 * @throws {Error} if a name is unknown; the message lists the known names
 */
export function parseArguments(args: readonly string[]): RunArguments {
  const names = args.filter((arg) => arg !== '--quick');
  const all = [...WORKLOADS.map(({ id }) => id), ...PARTS];
  const wanted = all.filter((name) => names.length === 0 || names.includes(name));
  const unknown = names.filter((name) => !all.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: unknown workload. Known workloads: ${all.join(' ')}`);
  const quick = names.length < args.length;
  return { selected: new Set(wanted), quick, complete: !quick && wanted.length === all.length };
}
