import type { BenchServer } from '../server.ts';
import { ask } from './ask.ts';
import { atRest } from './at-rest.ts';
import { PAGE_LENGTH } from './dialect.ts';
import { does, type Plan, WARM_UP } from './plan.ts';
import type { LoadRequest } from './requests.ts';
import type { Side } from './sides.ts';
import type { Work } from './works.ts';
import { untilFull, wrk } from './wrk.ts';

/** A side that runs. */
export interface Running {
  readonly side: Side;
  readonly server: BenchServer;
}

export interface Measure {
  readonly perSecond: number;
  /** Microseconds of processor time for each answer. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Rounds that were done again because of answers that do not count. */
  readonly again: number;
}

interface Lane extends Running {
  readonly requests: readonly LoadRequest[];
  /** Which request is the next. */
  from: number;
  again: number;
  readonly rounds: Omit<Measure, 'again'>[];
}

/** What a work came to on each side that does it. */
export type Measures = ReadonlyMap<Side['id'], Measure>;

/** Does a work on all sides in alternation, and takes the median of each. @param tell hears of each round */
export async function measure(
  work: Work,
  all: readonly Running[],
  ids: readonly string[],
  { rounds, seconds }: Pick<Plan, 'rounds' | 'seconds'>,
  tell: (side: string) => void,
): Promise<Measures> {
  const able = all.filter(({ side }) => does(side, work));
  const lanes = await Promise.all(
    able.map(async ({ side, server }): Promise<Lane> => {
      const requests = await work.requests({ dialect: side.dialect, ids, port: server.port });
      await probe(work, requests, server.port);
      return { side, server, requests, from: 1, again: 0, rounds: [] };
    }),
  );
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const lane of lanes) {
      tell(lane.side.name);
      const measured = await loadOnce(lane, work, seconds);
      if (round >= 0) lane.rounds.push(measured);
    }
  }
  return new Map(lanes.map((lane) => [lane.side.id, { ...median(lane.rounds), again: lane.again }]));
}

async function loadOnce(lane: Lane, { connections, order }: Work, seconds: number): Promise<Lane['rounds'][number]> {
  const { server, requests, from } = lane;
  const load = async (): Promise<Lane['rounds'][number]> => {
    const before = server.cpu();
    const { perSecond, answers, p99 } = await wrk(server.port, { requests, order, from, connections, seconds });
    lane.from += answers;
    const cpu = (server.cpu() - before) / answers;
    await atRest(server);
    return { perSecond, p99, cpu };
  };
  return untilFull(load, () => void (lane.again += 1));
}

/** Asks once and looks at the answer: what is measured is the work and nothing else. */
async function probe({ id, expects }: Work, [request]: readonly LoadRequest[], port: number): Promise<void> {
  if (request === undefined) throw new Error(`${id}: nothing is asked`);
  const { status, body } = await ask(port, request);
  const rows = request.path.includes('?') ? rowsOf(JSON.parse(body)) : PAGE_LENGTH;
  if (expects.includes(status) && rows === PAGE_LENGTH) return;
  throw new Error(`${id}: ${request.path} answered ${status} with ${rows} rows: ${body.slice(0, 200)}`);
}

function rowsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null && 'data' in value ? rowsOf(value.data) : 0;
}

function median<Round extends Pick<Measure, 'perSecond'>>(rounds: readonly Round[]): Round {
  const sorted = rounds.toSorted((one, other) => one.perSecond - other.perSecond);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('there was no round');
  return middle;
}
