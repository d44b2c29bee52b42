import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Memory, type ServerOptions, startServer } from '../server.ts';
import { measureColdStarts } from './cold-start.ts';
import { createDatasets, type Datasets, ROWS } from './datasets.ts';
import { measureWorkload, type RunningServer } from './measure.ts';
import { type OverloadResult, measureOverload } from './overload.ts';
import { overloadContenders, type RunPlan } from './run-plan.ts';
import { buildPrograms } from './programs.ts';
import type { Progress } from './progress.ts';
import type { MemorySample, Results, WorkloadResult } from './report.ts';
import { MODEL, type Contender } from './contenders.ts';
import { formatCount } from './table.ts';

/**
 * Milliseconds of idle time before the second memory sample: Node.js releases memory one to two minutes after a load.
 */
const IDLE_TIME = 130_000;

/** Runs all measurements of a plan. @param folder directory of the databases */
export async function executeRun(
  plan: RunPlan,
  folder: string,
  progress: Progress,
): Promise<Omit<Results, 'environment'>> {
  const { contenders } = plan;
  progress.line('building the package ...');
  const programs = await buildPrograms(folder);
  progress.line(`writing ${formatCount(ROWS)} products ...`);
  const data = await createDatasets(folder, MODEL);
  const startOf = (contender: Contender): ServerOptions => ({
    args: contender.args(data, programs),
    path: `${contender.dialect.collection}/${data[contender.keys][0] ?? ''}`,
    compileCache: path.join(folder, 'compiled', contender.id),
  });
  const cold = await measureColdStarts(contenders, plan.coldStarts, startOf, (contender) =>
    progress.step(`cold start: ${contender}`),
  );
  const running: RunningServer[] = [];
  for (const contender of contenders) running.push({ contender, server: await startServer(startOf(contender)) });
  const peak = new Map<Contender['id'], Memory>();
  const samplePeak = (): void => {
    for (const { contender, server } of running)
      peak.set(contender.id, takeLarger(peak.get(contender.id), server.memory()));
  };
  const session = { plan, running, data, progress, samplePeak };
  const workloads = await runWorkloads(session);
  const overloads = await runOverloads(session);
  const memory = plan.memory
    ? [{ when: 'peak after a workload', byContender: peak }, ...(await sampleMemory(running, progress))]
    : [];
  await Promise.all(running.map(({ server }) => server.stop()));
  return { contenders, workloads, overloads, coldStarts: cold, memory };
}

function takeLarger(one: Memory = { resident: 0, anonymous: 0 }, other: Memory): Memory {
  return {
    resident: Math.max(one.resident, other.resident),
    anonymous: Math.max(one.anonymous, other.anonymous),
  };
}

/** Samples the memory immediately and after an idle time in which it can be released. */
async function sampleMemory(running: readonly RunningServer[], progress: Progress): Promise<readonly MemorySample[]> {
  const take = (when: string): MemorySample => ({
    when,
    byContender: new Map(running.map(({ contender, server }) => [contender.id, server.memory()])),
  });
  const first = take('after all workloads');
  progress.step(`memory: idle for ${IDLE_TIME / 1000} s`);
  await setTimeout(IDLE_TIME);
  return [first, take(`after ${IDLE_TIME / 1000} s idle`)];
}

/** The servers of a run and what their measurements need. */
interface Session {
  readonly plan: RunPlan;
  readonly running: readonly RunningServer[];
  readonly data: Datasets;
  readonly progress: Progress;
  readonly samplePeak: () => void;
}

async function runWorkloads({
  plan,
  running,
  data,
  progress,
  samplePeak,
}: Session): Promise<readonly WorkloadResult[]> {
  const done: WorkloadResult[] = [];
  for (const workload of plan.workloads) {
    const report = (contender: string): void => progress.step(`${workload.title}: ${contender}`);
    const measurements = await measureWorkload(workload, running, { data, plan, report });
    done.push({ workload, measurements });
    samplePeak();
    const results = running.map(
      ({ contender }) => `${contender.name} ${formatCount(measurements.get(contender.id)?.perSecond)}`,
    );
    progress.line(`${workload.title}: ${results.join(', ')}`);
  }
  return done;
}

async function runOverloads({
  plan,
  running,
  data,
  progress,
  samplePeak,
}: Session): Promise<readonly OverloadResult[]> {
  const done: OverloadResult[] = [];
  for (const workload of plan.overloads) {
    const supporting = overloadContenders(plan, workload);
    for (const each of running.filter(({ contender }) => supporting.includes(contender))) {
      progress.step(`overload, ${workload.title}: ${each.contender.name}`);
      const result = await measureOverload(workload, each, data, plan.overloadSeconds);
      done.push(result);
      samplePeak();
      const { fromSending, tally } = result;
      progress.line(
        `overload, ${workload.title}: ${each.contender.name}, max ${formatCount(fromSending.largest)} ms, ${formatCount(tally.refused)} rejected`,
      );
    }
  }
  return done;
}
