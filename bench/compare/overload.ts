import { atRest } from './at-rest.ts';
import type { Running } from './measure.ts';
import { openLoop } from './open-loop/open-loop.ts';
import { type Latency, latency, type Tally } from './open-loop/tally.ts';
import type { Side } from './sides.ts';
import type { Work } from './works.ts';
import { untilFull, wrk } from './wrk.ts';

const EXCESS = 2;
const CONNECTIONS = 1_024;
/** Seconds of the load that finds what a server bears. */
const CALM = 2;

/** What an overload came to on a side. */
export interface Overload {
  readonly work: Work;
  readonly side: Side;
  /** Answers per second while each connection waits for its answer. */
  readonly sustained: number;
  /** Requests that were due per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly tally: Tally;
  readonly fromSending: Latency;
  readonly fromDue: Latency;
}

/** Finds what a side sustains, then asks for twice as much on a fixed schedule. @param seconds of the overload */
export async function overload(
  work: Work,
  { side, server }: Running,
  ids: readonly string[],
  seconds: number,
): Promise<Overload> {
  const { port } = server;
  const requests = await work.requests({ dialect: side.dialect, ids, port });
  const { connections, order } = work;
  const calm = { requests, order, from: 1, connections, seconds: CALM };
  const { perSecond: sustained, answers } = await untilFull(
    () => wrk(port, calm),
    () => undefined,
  );
  await atRest(server);
  const rate = sustained * EXCESS;
  const tally = await openLoop({ port, requests: after(requests, answers), connections: CONNECTIONS, rate, seconds });
  await atRest(server);
  const [fromSending, fromDue] = [latency(tally.fromSending), latency(tally.fromDue)];
  return { work, side, sustained, rate, seconds, tally, fromSending, fromDue };
}

/** The requests in turn, whatever the order of the work, beginning where the load before has ended, so that nothing is asked twice soon. */
function after<Request>(requests: readonly Request[], answers: number): readonly Request[] {
  const at = (answers + 1) % requests.length;
  return [...requests.slice(at), ...requests.slice(0, at)];
}
