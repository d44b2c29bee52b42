import type { Arguments } from './arguments.ts';
import type { Side } from './sides.ts';
import type { WorkId } from './work-id.ts';
import { type Work, WORKS } from './works.ts';

/** The works that are also asked for twice as fast as a server bears. */
const OVERLOADED: readonly WorkId[] = ['by-id', 'pages', 'post'];

/** Rounds of a work on each side until what it runs is compiled; they do not count. */
export const WARM_UP = 1;

/** What is measured in a run, and how long each part of it takes. */
export interface Plan {
  readonly sides: readonly Side[];
  readonly works: readonly Work[];
  /** Those that count. */
  readonly rounds: number;
  /** Of a round. */
  readonly seconds: number;
  readonly overloads: readonly Work[];
  /** Of an overload. */
  readonly overloadSeconds: number;
  /** Starts of each side that count; 0 leaves them out. */
  readonly coldStarts: number;
  readonly memory: boolean;
}

export function planOf({ wanted, quick }: Arguments, sides: readonly Side[]): Plan {
  return {
    sides,
    works: WORKS.filter(({ id }) => wanted.has(id)),
    rounds: 3,
    seconds: quick ? 1 : 2,
    overloads: wanted.has('overload') ? WORKS.filter(({ id }) => OVERLOADED.includes(id)) : [],
    overloadSeconds: quick ? 3 : 8,
    coldStarts: wanted.has('cold-start') ? (quick ? 1 : 7) : 0,
    memory: wanted.has('memory'),
  };
}

/** Whether a side does a work. */
export function does({ dialect }: Side, { id }: Work): boolean {
  return dialect.lacks[id] === undefined;
}

/** The sides that are overloaded: the floor answers faster than the requests can be sent. */
export function overloaded({ sides }: Plan, work: Work): readonly Side[] {
  return sides.filter((side) => side.id !== 'floor' && does(side, work));
}

/** How many steps a run has, for the bar that shows how far it has come. */
export function stepsOf(plan: Plan): number {
  const { sides, works, rounds, overloads, coldStarts, memory } = plan;
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return (
    sum(works.map((work) => sides.filter((side) => does(side, work)).length * (WARM_UP + rounds))) +
    sum(overloads.map((work) => overloaded(plan, work).length)) +
    (coldStarts === 0 ? 0 : (coldStarts + 1) * sides.length) +
    (memory ? 1 : 0)
  );
}
