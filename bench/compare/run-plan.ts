import type { RunArguments } from './arguments.ts';
import type { Contender } from './contenders.ts';
import type { WorkloadId } from './workload-id.ts';
import { type Workload, WORKLOADS } from './workloads.ts';

/** The works that are also asked for twice as fast as a server bears. */
const OVERLOADED: readonly WorkloadId[] = ['by-id', 'pages', 'post'];

/** Rounds of a work on each side until what it runs is compiled; they do not count. */
export const WARM_UP = 1;

/** What is measured in a run, and how long each part of it takes. */
export interface RunPlan {
  readonly contenders: readonly Contender[];
  readonly workloads: readonly Workload[];
  /** Those that count. */
  readonly rounds: number;
  /** Of a round. */
  readonly seconds: number;
  readonly overloads: readonly Workload[];
  /** Of an overload. */
  readonly overloadSeconds: number;
  /** Starts of each side that count; 0 leaves them out. */
  readonly coldStarts: number;
  readonly memory: boolean;
}

export function planRun({ selected, quick }: RunArguments, sides: readonly Contender[]): RunPlan {
  return {
    contenders: sides,
    workloads: WORKLOADS.filter(({ id }) => selected.has(id)),
    rounds: 3,
    seconds: quick ? 1 : 2,
    overloads: selected.has('overload') ? WORKLOADS.filter(({ id }) => OVERLOADED.includes(id)) : [],
    overloadSeconds: quick ? 3 : 8,
    coldStarts: selected.has('cold-start') ? (quick ? 1 : 7) : 0,
    memory: selected.has('memory'),
  };
}

/** Whether a side does a work. */
export function supports({ dialect }: Contender, { id }: Workload): boolean {
  return dialect.unsupported[id] === undefined;
}

/** The sides that are overloaded: the floor answers faster than the requests can be sent. */
export function overloadContenders({ contenders }: RunPlan, work: Workload): readonly Contender[] {
  return contenders.filter((side) => side.id !== 'baseline' && supports(side, work));
}

/** How many steps a run has, for the bar that shows how far it has come. */
export function countSteps(plan: RunPlan): number {
  const { contenders, workloads, rounds, overloads, coldStarts, memory } = plan;
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return (
    sum(workloads.map((work) => contenders.filter((side) => supports(side, work)).length * (WARM_UP + rounds))) +
    sum(overloads.map((work) => overloadContenders(plan, work).length)) +
    (coldStarts === 0 ? 0 : (coldStarts + 1) * contenders.length) +
    (memory ? 1 : 0)
  );
}
