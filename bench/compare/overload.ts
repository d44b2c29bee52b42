import { waitUntilIdle } from './wait-until-idle.ts';
import type { RunningServer } from './measure.ts';
import { openLoop } from './open-loop/open-loop.ts';
import { type Latency, latency, type LoadTally } from './open-loop/tally.ts';
import type { Contender } from './contenders.ts';
import type { Workload } from './workloads.ts';
import { retryLoad, wrk } from './wrk.ts';

const OVERLOAD_FACTOR = 2;
const CONNECTIONS = 1_024;
/** Seconds of the load that finds what a server bears. */
const CAPACITY_SECONDS = 2;

/** What an overload came to on a side. */
export interface OverloadResult {
  readonly workload: Workload;
  readonly contender: Contender;
  /** Answers per second while each connection waits for its answer. */
  readonly sustained: number;
  /** Requests that were due per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly tally: LoadTally;
  readonly fromSending: Latency;
  readonly fromDue: Latency;
}

/** Finds what a side sustains, then asks for twice as much on a fixed schedule. @param seconds of the overload */
export async function measureOverload(
  work: Workload,
  { contender, server }: RunningServer,
  ids: readonly string[],
  seconds: number,
): Promise<OverloadResult> {
  const { port } = server;
  const requests = await work.requests({ dialect: contender.dialect, ids, port });
  const { connections, order } = work;
  const calm = { requests, order, start: 1, connections, seconds: CAPACITY_SECONDS };
  const { perSecond: sustained, responses } = await retryLoad(
    () => wrk(port, calm),
    () => undefined,
  );
  await waitUntilIdle(server);
  const rate = sustained * OVERLOAD_FACTOR;
  const tally = await openLoop({
    port,
    requests: rotate(requests, responses),
    connections: CONNECTIONS,
    rate,
    seconds,
  });
  await waitUntilIdle(server);
  const [fromSending, fromDue] = [latency(tally.fromSending), latency(tally.fromDue)];
  return { workload: work, contender, sustained, rate, seconds, tally, fromSending, fromDue };
}

/** The requests in turn, whatever the order of the work, beginning where the load before has ended, so that nothing is asked twice soon. */
function rotate<Request>(requests: readonly Request[], answers: number): readonly Request[] {
  const at = (answers + 1) % requests.length;
  return [...requests.slice(at), ...requests.slice(0, at)];
}
