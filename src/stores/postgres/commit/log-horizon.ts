import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../../platform/clock.ts';
import { OnceAnIteration } from '../../../platform/once-an-iteration.ts';
import { ALLOCATORS, selectAllocated } from '../../sql/log-numbers.ts';
import type { LogEnd } from '../../sql/events/event-log.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import type { SqlClient } from '../../sql/sql-client.ts';
import { IS_OF_WRITES } from './write-locks.ts';

/** The last revision and the last sequence that were allocated. */
interface AllocatedNumbers {
  readonly revision: number;
  readonly sequence: number;
}

/** Numbers that were the last ones, and the transactions that may still write some up to them. */
interface Look extends AllocatedNumbers {
  /** Monotonic milliseconds. */
  readonly at: number;
  /** The number of looks that were answered when it was sent, and with it. */
  readonly before: number;
  readonly place: number;
  holders: ReadonlySet<string>;
}

const NOW = 'extract(epoch from clock_timestamp())::float8';
/** Neither of them is of a snapshot: the answers are of the time at which they run. */
const LAST: Statement = {
  text: `select ${selectAllocated(ALLOCATORS.revision)} as revision, ${selectAllocated(ALLOCATORS.sequence)} as sequence, ${NOW} as now`,
  values: [],
};
/** The transactions that write. Those that wait to begin have no numbers yet. The time comes before they are read. */
const HOLDERS: Statement = {
  text: `select ${NOW} as now,
  (select string_agg(virtualtransaction, ',') from pg_locks where ${IS_OF_WRITES} and granted) as holders`,
  values: [],
};

/** The most milliseconds that a reader waits for transactions to end. */
const MAX_WAIT = 20;
/** Milliseconds between two looks. */
const LOOK_INTERVAL = 2;
/** The most looks whose transactions have not ended. */
const MAX_LOOKS = 8;

const NOTHING: AllocatedNumbers = { revision: 0, sequence: 0 };
const NO_LOOK = { ...NOTHING, place: 0 };

/**
 * The numbers up to which nothing can appear any more in the log (EVT-3). Each transaction that writes holds a lock
 * before its numbers are allocated, until it ends. First the last numbers are read, then the holders of the lock. Once
 * these have ended, all that got a number up to those is visible. Transactions of others do not hold that lock.
 */
export class LogHorizon implements LogEnd {
  readonly #client: Pick<SqlClient, 'get'>;
  readonly #elapsed: () => number;
  #settled = NOTHING;
  /** Those with transactions that have not ended. */
  #looks: Look[] = [];
  /** The look with the greatest numbers. */
  #greatest: AllocatedNumbers & Pick<Look, 'place'> = NO_LOOK;
  /** The number of looks that were answered. */
  #answered = 0;
  /** Reads the last numbers. */
  readonly #look = new OnceAnIteration(() => this.#read());

  constructor(client: Pick<SqlClient, 'get'>, elapsed: () => number = monotonicNow) {
    this.#client = client;
    this.#elapsed = elapsed;
  }

  get known(): number {
    return this.#settled.sequence;
  }

  /** Seconds since the first transaction that the horizon waits for was seen; 0 if it waits for none. */
  get age(): number {
    const [first] = this.#looks;
    return first === undefined ? 0 : (this.#elapsed() - first.at) / 1_000;
  }

  /** The last sequence below which no event appears any more. It waits a moment for transactions that are ending. */
  async settledSequence(): Promise<number> {
    return (await this.#settle()).sequence;
  }

  /** The last revision below which no row appears any more. */
  async settledRevision(): Promise<number> {
    return (await this.#settle()).revision;
  }

  async #settle(): Promise<AllocatedNumbers> {
    const until = this.#elapsed() + MAX_WAIT;
    const last = await this.#look.run();
    while (this.#settled.sequence < last.sequence || this.#settled.revision < last.revision) {
      if (this.#elapsed() >= until) break;
      await pause(LOOK_INTERVAL);
      await this.#look.run();
    }
    return this.#settled;
  }

  async #read(): Promise<AllocatedNumbers> {
    const at = this.#elapsed();
    const before = this.#answered;
    // Sent together, on one session, which answers in order.
    const [last, held] = await Promise.all([this.#client.get(LAST), this.#client.get(HOLDERS)]);
    const numbers = { revision: Number(last?.['revision'] ?? 0), sequence: Number(last?.['sequence'] ?? 0) };
    const isInOrder = Number(last?.['now']) <= Number(held?.['now']);
    this.#answered += 1;
    if (isInOrder) this.#note({ ...numbers, at, before, place: this.#answered, holders: readHolders(held) });
    return numbers;
  }

  #note(look: Look): void {
    const { before } = look;
    if (isLess(look, this.#greatest) && before >= this.#greatest.place) this.#restart();
    if (!isLess(look, this.#greatest)) this.#greatest = look;
    // Looks of two sessions may be answered in another order than that of their reads: then one lacks later holders.
    for (const each of this.#looks) if (before >= each.place) each.holders = each.holders.intersection(look.holders);
    const looks = this.#looks.length < MAX_LOOKS ? this.#looks : this.#looks.slice(0, -1);
    for (const each of [...looks, look])
      if (each.holders.size === 0 && isLess(this.#settled, each)) this.#settled = each;
    this.#looks = [...looks, look].filter((each) => isLess(this.#settled, each));
  }

  /** Begins again with a database that was restored. */
  #restart(): void {
    this.#settled = NOTHING;
    this.#looks = [];
    this.#greatest = NO_LOOK;
  }
}

/** Checks if numbers were read before others. */
function isLess(one: AllocatedNumbers, other: AllocatedNumbers): boolean {
  return one.sequence < other.sequence || one.revision < other.revision;
}

function readHolders(row: SqlRow | null): ReadonlySet<string> {
  const holders = row?.['holders'] ?? null;
  return new Set(holders === null ? [] : String(holders).split(','));
}
