import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Memory, type ServerOptions, startServer } from '../server.ts';
import { measureColdStarts } from './cold-start.ts';
import { type Datasets, createDatasets, ROWS } from './datasets.ts';
import { measureWorkload, type RunningServer } from './measure.ts';
import { type OverloadResult, measureOverload } from './overload.ts';
import { overloadContenders, type RunPlan } from './run-plan.ts';
import { buildPrograms } from './programs.ts';
import type { Progress } from './progress.ts';
import type { MemorySample, Results, WorkloadResult } from './report.ts';
import { MODEL, type Contender } from './contenders.ts';
import { formatCount } from './table.ts';

/** Milliseconds without work before memory is taken a second time: Node gives back what a load has left after one to two minutes. */
const IDLE_TIME = 130_000;

/** Carries a plan out. @param folder where databases are written */
export async function executeRun(
  plan: RunPlan,
  folder: string,
  progress: Progress,
): Promise<Omit<Results, 'environment'>> {
  const { contenders } = plan;
  progress.line('building what is published ...');
  const programs = await buildPrograms(folder);
  progress.line(`writing ${formatCount(ROWS)} products ...`);
  const data = await createDatasets(folder, MODEL);
  const startOf = (side: Contender): ServerOptions => ({
    args: side.args(data, programs),
    path: `${side.dialect.collection}/${data.ids[0] ?? ''}`,
    compileCache: path.join(folder, 'compiled', side.id),
  });
  const cold = await measureColdStarts(contenders, plan.coldStarts, startOf, (side) =>
    progress.step(`cold start: ${side}`),
  );
  const running: RunningServer[] = [];
  for (const side of contenders) running.push({ contender: side, server: await startServer(startOf(side)) });
  const most = new Map<Contender['id'], Memory>();
  const look = (): void => {
    for (const { contender, server } of running)
      most.set(contender.id, largerOf(most.get(contender.id), server.memory()));
  };
  const works = await runWorkloads(plan, running, data, progress, look);
  const overloads = await runOverloads(plan, running, data, progress, look);
  const memory = plan.memory
    ? [{ when: 'at the most after a work', byContender: most }, ...(await sampleMemory(running, progress))]
    : [];
  await Promise.all(running.map(({ server }) => server.stop()));
  return { contenders, workloads: works, overloads, coldStarts: cold, memory };
}

function largerOf(one: Memory = { resident: 0, anonymous: 0 }, other: Memory): Memory {
  return {
    resident: Math.max(one.resident, other.resident),
    anonymous: Math.max(one.anonymous, other.anonymous),
  };
}

/** At once, and when all have had time to give back what the work has left. */
async function sampleMemory(running: readonly RunningServer[], progress: Progress): Promise<readonly MemorySample[]> {
  const take = (when: string): MemorySample => ({
    when,
    byContender: new Map(running.map(({ contender, server }) => [contender.id, server.memory()])),
  });
  const first = take('at the end of all work');
  progress.step(`memory: resting for ${IDLE_TIME / 1000} s`);
  await setTimeout(IDLE_TIME);
  return [first, take(`${IDLE_TIME / 1000} s later`)];
}

async function runWorkloads(
  plan: RunPlan,
  running: readonly RunningServer[],
  { ids }: Datasets,
  progress: Progress,
  look: () => void,
): Promise<readonly WorkloadResult[]> {
  const done: WorkloadResult[] = [];
  for (const work of plan.workloads) {
    const measures = await measureWorkload(work, running, ids, plan, (side) => progress.step(`${work.title}: ${side}`));
    done.push({ workload: work, measurements: measures });
    look();
    const told = running.map(
      ({ contender }) => `${contender.name} ${formatCount(measures.get(contender.id)?.perSecond)}`,
    );
    progress.line(`${work.title}: ${told.join(', ')}`);
  }
  return done;
}

async function runOverloads(
  plan: RunPlan,
  running: readonly RunningServer[],
  { ids }: Datasets,
  progress: Progress,
  look: () => void,
): Promise<readonly OverloadResult[]> {
  const done: OverloadResult[] = [];
  for (const work of plan.overloads) {
    const able = overloadContenders(plan, work);
    for (const each of running.filter(({ contender }) => able.includes(contender))) {
      progress.step(`overload, ${work.title}: ${each.contender.name}`);
      const one = await measureOverload(work, each, ids, plan.overloadSeconds);
      done.push(one);
      look();
      const { fromSending, tally } = one;
      progress.line(
        `overload, ${work.title}: ${each.contender.name}, largest ${formatCount(fromSending.largest)} ms, ${formatCount(tally.refused)} refused`,
      );
    }
  }
  return done;
}
