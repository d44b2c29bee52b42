import type { WorkId } from './work-id.ts';
import { WORKS } from './works.ts';

/** Parts of a run beside the works. */
export type Part = 'overload' | 'cold-start' | 'memory';
const PARTS: readonly Part[] = ['overload', 'cold-start', 'memory'];

export interface Arguments {
  readonly wanted: ReadonlySet<WorkId | Part>;
  readonly quick: boolean;
  /** Whether all is measured as it is told in the README. */
  readonly whole: boolean;
}

/**
 * `[--quick] [work ...]`; no work stands for all.
 *
 * @throws {Error} in plain words for one that is unknown
 */
export function parseArguments(args: readonly string[]): Arguments {
  const names = args.filter((arg) => arg !== '--quick');
  const all = [...WORKS.map(({ id }) => id), ...PARTS];
  const wanted = all.filter((name) => names.length === 0 || names.includes(name));
  const unknown = names.filter((name) => !all.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: unknown. What can be measured: ${all.join(' ')}`);
  const quick = names.length < args.length;
  return { wanted: new Set(wanted), quick, whole: !quick && wanted.length === all.length };
}
