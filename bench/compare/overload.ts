import { waitUntilIdle } from './wait-until-idle.ts';
import type { RunningServer } from './measure.ts';
import { openLoop } from './open-loop/open-loop.ts';
import { type Latency, latency, type LoadTally } from './open-loop/tally.ts';
import type { Datasets } from './datasets.ts';
import type { Contender } from './contenders.ts';
import type { Workload } from './workloads.ts';
import { retryLoad, wrk } from './wrk.ts';

const OVERLOAD_FACTOR = 2;
const CONNECTIONS = 1_024;
/** Seconds of the load that measures the capacity. */
const CAPACITY_SECONDS = 2;

/** The result of an overload on one contender. */
export interface OverloadResult {
  readonly workload: Workload;
  readonly contender: Contender;
  /** Responses per second while each connection waits for its response. */
  readonly sustained: number;
  /** Requests that were due per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly tally: LoadTally;
  readonly fromSending: Latency;
  readonly fromDue: Latency;
}

/**
 * Measures the capacity of a contender, then sends twice as many requests on a fixed schedule.
 *
 * @param seconds duration of the overload
 */
export async function measureOverload(
  workload: Workload,
  { contender, server }: RunningServer,
  data: Datasets,
  seconds: number,
): Promise<OverloadResult> {
  const { port } = server;
  const requests = await workload.requests({ dialect: contender.dialect, ids: data[contender.keys], port });
  const { connections, order } = workload;
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
  return { workload, contender, sustained, rate, seconds, tally, fromSending, fromDue };
}

/** Starts the requests where the previous load ended, so that no request repeats soon. */
function rotate<Request>(requests: readonly Request[], sent: number): readonly Request[] {
  const at = (sent + 1) % requests.length;
  return [...requests.slice(at), ...requests.slice(0, at)];
}
