import type { Effort } from '../../../plan/plan.ts';
import type { DatabaseCaller } from '../../../plan/write-unit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import { StoreOverloaded, StoreUnavailable } from '../../store.ts';
import { type OpenSession, Session } from '../connection/sessions.ts';
import { readBatch } from './read-batch.ts';

/** The most batches of one effort that run at a time: two, so that one long read does not block all others. */
const MAX_RUNNING = 2;
/** The last of so many batches still begins within a statement timeout of 5 s if each takes 150 ms. */
const MAX_QUEUED = 64;

type SlowEffort = Exclude<Effort, 'light'>;

interface SlowRead {
  readonly batch: StatementBatch;
  /** The caller as whom it reads; null for the server. */
  readonly caller: DatabaseCaller | null;
  /** When it was queued, in milliseconds since the epoch. */
  readonly since: number;
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: unknown) => void;
}

/** The batches of one effort, first in, first out, and the sessions that are free for them. */
interface EffortSessions {
  readonly waiting: SlowRead[];
  readonly free: Session[];
}

interface SlowReadsOptions {
  readonly connect: OpenSession;
  readonly clock: Clock;
  /** Milliseconds that a batch may wait. */
  readonly timeout: number;
}

/** Reads that may take long, on sessions of their own (QRY-3): those that all requests share answer in order. */
export class SlowReads {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #sessions: readonly Session[];
  readonly #queues: Readonly<Record<SlowEffort, EffortSessions>>;
  #isClosed = false;

  constructor({ connect, clock, timeout }: SlowReadsOptions) {
    this.#clock = clock;
    this.#timeout = timeout;
    const sessions = (): Session[] => Array.from({ length: MAX_RUNNING }, () => new Session(connect));
    this.#queues = { bounded: { waiting: [], free: sessions() }, unbounded: { waiting: [], free: sessions() } };
    this.#sessions = Object.values(this.#queues).flatMap(({ free }) => free);
  }

  /**
   * Reads a batch once a session is free.
   *
   * @param caller as whom it reads; null for the server
   * @throws {StatementTimeout} where it exceeds the statement timeout
   * @throws {StoreOverloaded} where its queue is full, or it waits for too long
   * @throws {StoreUnavailable} where the store is closed or the database cannot be reached
   * @throws {RoleForbidden}
   */
  read(batch: StatementBatch, effort: SlowEffort, caller: DatabaseCaller | null): Promise<BatchRows> {
    const queue = this.#queues[effort];
    if (this.#isClosed) return Promise.reject(closedError());
    if (queue.free.length === 0 && queue.waiting.length >= MAX_QUEUED)
      return Promise.reject(new StoreOverloaded(`${MAX_QUEUED} slow reads are queued already`));
    const { promise, resolve, reject } = Promise.withResolvers<BatchRows>();
    queue.waiting.push({ batch, caller, since: this.#clock.now(), resolve, reject });
    this.#advance(queue);
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = Object.values(this.#queues).flatMap((queue) => queue.waiting.splice(0));
    for (const { reject } of waiting) reject(closedError());
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  /** Gives the sessions up without waiting for their ends: the next ones are opened when they are needed. */
  discard(): void {
    for (const session of this.#sessions) session.discard();
  }

  #advance(queue: EffortSessions): void {
    while (queue.free.length > 0) {
      const next = queue.waiting.shift();
      if (next === undefined) return;
      if (this.#clock.now() <= next.since + this.#timeout) void this.#run(queue, next);
      else next.reject(new StoreOverloaded(`The read waited for more than ${this.#timeout} ms`));
    }
  }

  async #run(queue: EffortSessions, { batch, caller, resolve, reject }: SlowRead): Promise<void> {
    const session = queue.free.pop();
    if (session === undefined) return;
    try {
      resolve(await readBatch(await session.open(), batch, caller));
    } catch (error) {
      reject(error);
    }
    queue.free.push(session);
    this.#advance(queue);
  }
}

function closedError(): StoreUnavailable {
  return new StoreUnavailable('The store is closed');
}
