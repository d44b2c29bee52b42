import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Memory, type ServerStart, startServer } from '../server.ts';
import { coldStarts } from './cold-start.ts';
import { type Data, fill, ROWS } from './data.ts';
import { measure, type Running } from './measure.ts';
import { type Overload, overload } from './overload.ts';
import { overloaded, type Plan } from './plan.ts';
import { buildPrograms } from './programs.ts';
import type { Progress } from './progress.ts';
import type { MemoryTaken, Results, WorkDone } from './report.ts';
import { MODEL, type Side } from './sides.ts';
import { count } from './table.ts';

/** Milliseconds without work before memory is taken a second time: Node gives back what a load has left after one to two minutes. */
const REST = 130_000;

/** Carries a plan out. @param folder where databases are written */
export async function carryOut(
  plan: Plan,
  folder: string,
  progress: Progress,
): Promise<Omit<Results, 'circumstances'>> {
  const { sides } = plan;
  progress.line('building what is published ...');
  const programs = await buildPrograms(folder);
  progress.line(`writing ${count(ROWS)} products ...`);
  const data = await fill(folder, MODEL);
  const startOf = (side: Side): ServerStart => ({
    args: side.args(data, programs),
    path: `${side.dialect.collection}/${data.ids[0] ?? ''}`,
    compiled: path.join(folder, 'compiled', side.id),
  });
  const cold = await coldStarts(sides, plan.coldStarts, startOf, (side) => progress.step(`cold start: ${side}`));
  const running: Running[] = [];
  for (const side of sides) running.push({ side, server: await startServer(startOf(side)) });
  const most = new Map<Side['id'], Memory>();
  const look = (): void => {
    for (const { side, server } of running) most.set(side.id, more(most.get(side.id), server.memory()));
  };
  const works = await doWorks(plan, running, data, progress, look);
  const overloads = await doOverloads(plan, running, data, progress, look);
  const memory = plan.memory
    ? [{ when: 'at the most after a work', taken: most }, ...(await takeMemory(running, progress))]
    : [];
  await Promise.all(running.map(({ server }) => server.stop()));
  return { sides, works, overloads, coldStarts: cold, memory };
}

function more(one: Memory = { resident: 0, anonymous: 0 }, other: Memory): Memory {
  return {
    resident: Math.max(one.resident, other.resident),
    anonymous: Math.max(one.anonymous, other.anonymous),
  };
}

/** At once, and when all have had time to give back what the work has left. */
async function takeMemory(running: readonly Running[], progress: Progress): Promise<readonly MemoryTaken[]> {
  const take = (when: string): MemoryTaken => ({
    when,
    taken: new Map(running.map(({ side, server }) => [side.id, server.memory()])),
  });
  const first = take('at the end of all work');
  progress.step(`memory: resting for ${REST / 1000} s`);
  await setTimeout(REST);
  return [first, take(`${REST / 1000} s later`)];
}

async function doWorks(
  plan: Plan,
  running: readonly Running[],
  { ids }: Data,
  progress: Progress,
  look: () => void,
): Promise<readonly WorkDone[]> {
  const done: WorkDone[] = [];
  for (const work of plan.works) {
    const measures = await measure(work, running, ids, plan, (side) => progress.step(`${work.title}: ${side}`));
    done.push({ work, measures });
    look();
    const told = running.map(({ side }) => `${side.name} ${count(measures.get(side.id)?.perSecond)}`);
    progress.line(`${work.title}: ${told.join(', ')}`);
  }
  return done;
}

async function doOverloads(
  plan: Plan,
  running: readonly Running[],
  { ids }: Data,
  progress: Progress,
  look: () => void,
): Promise<readonly Overload[]> {
  const done: Overload[] = [];
  for (const work of plan.overloads) {
    const able = overloaded(plan, work);
    for (const each of running.filter(({ side }) => able.includes(side))) {
      progress.step(`overload, ${work.title}: ${each.side.name}`);
      const one = await overload(work, each, ids, plan.overloadSeconds);
      done.push(one);
      look();
      const { fromSending, tally } = one;
      progress.line(
        `overload, ${work.title}: ${each.side.name}, largest ${count(fromSending.largest)} ms, ${count(tally.refused)} refused`,
      );
    }
  }
  return done;
}
