import type { Datasets } from './datasets.ts';
import type { BenchServer } from '../server.ts';
import { sendRequest } from './send-request.ts';
import { waitUntilIdle } from './wait-until-idle.ts';
import { PAGE_LENGTH } from './query-dialect.ts';
import { supports, type RunPlan, WARM_UP } from './run-plan.ts';
import type { LoadRequest } from './requests.ts';
import type { Contender } from './contenders.ts';
import type { Workload } from './workloads.ts';
import { retryLoad, wrk } from './wrk.ts';

/** A contender with its running server. */
export interface RunningServer {
  readonly contender: Contender;
  readonly server: BenchServer;
}

export interface Measurement {
  readonly perSecond: number;
  /** Microseconds of CPU time per response. */
  readonly cpu: number;
  /** 99th percentile of latency in milliseconds. */
  readonly p99: number;
  /** Rounds that were repeated because of invalid responses. */
  readonly retries: number;
}

interface Lane extends RunningServer {
  readonly requests: readonly LoadRequest[];
  /** Index of the next request. */
  nextRequest: number;
  retries: number;
  readonly rounds: Omit<Measurement, 'retries'>[];
}

/** The measurements of a workload, for each contender that supports it. */
export type Measurements = ReadonlyMap<Contender['id'], Measurement>;

interface MeasureOptions {
  readonly data: Pick<Datasets, 'ids' | 'numbers'>;
  readonly plan: Pick<RunPlan, 'rounds' | 'seconds'>;
  /** Called with the name of the contender before each round. */
  readonly report: (contender: string) => void;
}

/** Runs a workload on all contenders in alternation, and returns the median round of each. */
export async function measureWorkload(
  workload: Workload,
  all: readonly RunningServer[],
  { data, plan: { rounds, seconds }, report }: MeasureOptions,
): Promise<Measurements> {
  const supporting = all.filter(({ contender }) => supports(contender, workload));
  const lanes = await Promise.all(
    supporting.map(async ({ contender, server }): Promise<Lane> => {
      const requests = await workload.requests({
        dialect: contender.dialect,
        ids: data[contender.keys],
        port: server.port,
      });
      await checkResponse(workload, requests, server.port);
      return { contender, server, requests, nextRequest: 1, retries: 0, rounds: [] };
    }),
  );
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const lane of lanes) {
      report(lane.contender.name);
      const measured = await runRound(lane, workload, seconds);
      if (round >= 0) lane.rounds.push(measured);
    }
  }
  return new Map(lanes.map((lane) => [lane.contender.id, { ...median(lane.rounds), retries: lane.retries }]));
}

async function runRound(
  lane: Lane,
  { connections, order }: Workload,
  seconds: number,
): Promise<Lane['rounds'][number]> {
  const { server, requests, nextRequest } = lane;
  const load = async (): Promise<Lane['rounds'][number]> => {
    const before = server.cpu();
    const { perSecond, responses, p99 } = await wrk(server.port, {
      requests,
      order,
      start: nextRequest,
      connections,
      seconds,
    });
    lane.nextRequest += responses;
    const cpu = (server.cpu() - before) / responses;
    await waitUntilIdle(server);
    return { perSecond, p99, cpu };
  };
  return retryLoad(load, () => void (lane.retries += 1));
}

/** Checks that the first request of a workload gets the expected response. @throws {Error} if it does not */
async function checkResponse(
  { id, expects }: Workload,
  [request]: readonly LoadRequest[],
  port: number,
): Promise<void> {
  if (request === undefined) throw new Error(`${id}: no requests`);
  const { status, body } = await sendRequest(port, request);
  const rows = status === 200 && request.path.includes('?') ? countRows(JSON.parse(body)) : PAGE_LENGTH;
  if (expects.includes(status) && rows === PAGE_LENGTH) return;
  throw new Error(`${id}: ${request.path} returned ${status} with ${rows} rows: ${body.slice(0, 200)}`);
}

function countRows(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null && 'data' in value ? countRows(value.data) : 0;
}

function median<Round extends Pick<Measurement, 'perSecond'>>(rounds: readonly Round[]): Round {
  const sorted = rounds.toSorted((one, other) => one.perSecond - other.perSecond);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no rounds were measured');
  return middle;
}
