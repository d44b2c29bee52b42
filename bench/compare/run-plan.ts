import type { RunArguments } from './arguments.ts';
import type { Contender } from './contenders.ts';
import type { WorkloadId } from './workload-id.ts';
import { type Workload, WORKLOADS } from './workloads.ts';

/** The workloads that are also measured at twice the capacity. */
const OVERLOADED: readonly WorkloadId[] = ['by-id', 'pages', 'post'];

/** Uncounted rounds of a workload on each contender, for V8's compilers. */
export const WARM_UP = 1;

/** The measurements of a run, and their length. */
export interface RunPlan {
  readonly contenders: readonly Contender[];
  readonly workloads: readonly Workload[];
  /** Counted rounds. */
  readonly rounds: number;
  /** Duration of a round. */
  readonly seconds: number;
  readonly overloads: readonly Workload[];
  /** Duration of an overload. */
  readonly overloadSeconds: number;
  /** Counted starts of each contender; 0 skips them. */
  readonly coldStarts: number;
  readonly memory: boolean;
}

export function planRun({ selected, quick }: RunArguments, contenders: readonly Contender[]): RunPlan {
  return {
    contenders: contenders,
    workloads: WORKLOADS.filter(({ id }) => selected.has(id)),
    rounds: 3,
    seconds: quick ? 1 : 2,
    overloads: selected.has('overload') ? WORKLOADS.filter(({ id }) => OVERLOADED.includes(id)) : [],
    overloadSeconds: quick ? 3 : 8,
    coldStarts: selected.has('cold-start') ? (quick ? 1 : 7) : 0,
    memory: selected.has('memory'),
  };
}

/** Checks that a contender supports a workload. */
export function supports({ dialect }: Contender, { id }: Workload): boolean {
  return dialect.unsupported[id] === undefined;
}

/** The contenders that are overloaded: the baseline responds faster than requests can be sent. */
export function overloadContenders({ contenders }: RunPlan, workload: Workload): readonly Contender[] {
  return contenders.filter((contender) => contender.id !== 'baseline' && supports(contender, workload));
}

/** Number of steps of a run, for the progress bar. */
export function countSteps(plan: RunPlan): number {
  const { contenders, workloads, rounds, overloads, coldStarts, memory } = plan;
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return (
    sum(
      workloads.map(
        (workload) => contenders.filter((contender) => supports(contender, workload)).length * (WARM_UP + rounds),
      ),
    ) +
    sum(overloads.map((workload) => overloadContenders(plan, workload).length)) +
    (coldStarts === 0 ? 0 : (coldStarts + 1) * contenders.length) +
    (memory ? 1 : 0)
  );
}
