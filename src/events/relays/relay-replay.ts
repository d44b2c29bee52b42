import type { EventLog } from '../../stores/store.ts';
import type { Broker, RelayMessage } from './broker.ts';
import type { Relay } from './relay.ts';

/** Events that are sent together. */
const BLOCK = 500;

export interface ReplayOptions {
  readonly relay: Pick<Relay, 'compose'>;
  readonly broker: Broker;
  readonly events: Pick<EventLog, 'list'>;
  /** The first sequence to send, and the last one. */
  readonly from: number;
  readonly until: number;
  /** Called after each block. */
  readonly onProgress: (progress: ReplayProgress) => void;
  /**
   * Waits before a block is sent again. @returns false to give up
   *
   * @param failures the number of attempts in a row that got nothing acknowledged
   */
  readonly waitAfter: (problem: string, failures: number) => Promise<boolean>;
  /** True to end after the block in progress. */
  readonly isStopped: () => boolean;
}

/** The progress of a replay. */
export interface ReplayProgress {
  /** The sequence up to which the log was sent. */
  readonly position: number;
  /** Events that were sent. */
  readonly sent: number;
}

/** The result of a replay. */
export interface ReplayResult extends ReplayProgress {
  /** The reason why the rest was not sent; null if all was. */
  readonly problem: string | null;
}

/** Sends a part of the log to a broker once, in order, as a relay does (EVT-9). No position is stored. */
export async function replayEvents(options: ReplayOptions): Promise<ReplayResult> {
  const { relay, events, from, until, onProgress, isStopped } = options;
  let progress: ReplayProgress = { position: from - 1, sent: 0 };
  while (progress.position < until && !isStopped()) {
    const page = await events.list({ after: progress.position, until, limit: BLOCK });
    const messages = page.flatMap((event) => relay.compose(event) ?? []);
    const { rest, problem } = await publishAll(messages, options);
    const position = rest?.sequence ?? (page.length < BLOCK ? until : (page.at(-1)?.sequence ?? until));
    const sent = progress.sent + (rest === null ? messages.length : messages.indexOf(rest));
    progress = { position: rest === null ? position : position - 1, sent };
    onProgress(progress);
    if (problem !== null) return { ...progress, problem };
  }
  return { ...progress, problem: null };
}

/** @returns the first message that was not sent, and why; both null if all were */
async function publishAll(
  messages: readonly RelayMessage[],
  { broker, waitAfter }: ReplayOptions,
): Promise<{ readonly rest: RelayMessage | null; readonly problem: string | null }> {
  let failures = 0;
  for (let left = messages; left.length > 0; ) {
    const { acknowledged, problem } = await broker.publish(left);
    left = left.slice(acknowledged);
    if (problem === null) continue;
    failures = acknowledged > 0 ? 1 : failures + 1;
    if (!(await waitAfter(problem, failures))) return { rest: left[0] ?? null, problem };
  }
  return { rest: null, problem: null };
}
