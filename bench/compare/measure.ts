import type { BenchServer } from '../server.ts';
import { sendRequest } from './send-request.ts';
import { waitUntilIdle } from './wait-until-idle.ts';
import { PAGE_LENGTH } from './query-dialect.ts';
import { supports, type RunPlan, WARM_UP } from './run-plan.ts';
import type { LoadRequest } from './requests.ts';
import type { Contender } from './contenders.ts';
import type { Workload } from './workloads.ts';
import { retryLoad, wrk } from './wrk.ts';

/** A side that runs. */
export interface RunningServer {
  readonly contender: Contender;
  readonly server: BenchServer;
}

export interface Measurement {
  readonly perSecond: number;
  /** Microseconds of processor time for each answer. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Rounds that were done again because of answers that do not count. */
  readonly retries: number;
}

interface Lane extends RunningServer {
  readonly requests: readonly LoadRequest[];
  /** Which request is the next. */
  nextRequest: number;
  retries: number;
  readonly rounds: Omit<Measurement, 'retries'>[];
}

/** What a work came to on each side that does it. */
export type Measurements = ReadonlyMap<Contender['id'], Measurement>;

/** Does a work on all sides in alternation, and takes the median of each. @param tell hears of each round */
export async function measureWorkload(
  work: Workload,
  all: readonly RunningServer[],
  ids: readonly string[],
  { rounds, seconds }: Pick<RunPlan, 'rounds' | 'seconds'>,
  tell: (side: string) => void,
): Promise<Measurements> {
  const able = all.filter(({ contender }) => supports(contender, work));
  const lanes = await Promise.all(
    able.map(async ({ contender, server }): Promise<Lane> => {
      const requests = await work.requests({ dialect: contender.dialect, ids, port: server.port });
      await checkResponse(work, requests, server.port);
      return { contender, server, requests, nextRequest: 1, retries: 0, rounds: [] };
    }),
  );
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const lane of lanes) {
      tell(lane.contender.name);
      const measured = await runRound(lane, work, seconds);
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

/** Asks once and looks at the answer: what is measured is the work and nothing else. */
async function checkResponse(
  { id, expects }: Workload,
  [request]: readonly LoadRequest[],
  port: number,
): Promise<void> {
  if (request === undefined) throw new Error(`${id}: nothing is asked`);
  const { status, body } = await sendRequest(port, request);
  const rows = request.path.includes('?') ? countRows(JSON.parse(body)) : PAGE_LENGTH;
  if (expects.includes(status) && rows === PAGE_LENGTH) return;
  throw new Error(`${id}: ${request.path} answered ${status} with ${rows} rows: ${body.slice(0, 200)}`);
}

function countRows(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null && 'data' in value ? countRows(value.data) : 0;
}

function median<Round extends Pick<Measurement, 'perSecond'>>(rounds: readonly Round[]): Round {
  const sorted = rounds.toSorted((one, other) => one.perSecond - other.perSecond);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('there was no round');
  return middle;
}
