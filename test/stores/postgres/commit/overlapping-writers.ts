import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { LogHorizon } from '../../../../src/stores/postgres/commit/log-horizon.ts';
import type { SqlRow, Statement } from '../../../../src/stores/sql/dialect.ts';
import type { SeededRandom } from '../../../../store-suite/seeded-random.ts';

/** A wrong way to learn what a horizon needs. */
export type WrongLook =
  | 'reads the holders first'
  | 'ignores the holders'
  | 'reads 1 of a sequence that is not used'
  | 'remembers numbers of a database that was restored';

/** A transaction that holds the lock of all writes. */
interface OpenTransaction {
  readonly name: string;
  readonly sequences: number[];
}

/** A statement that was sent. */
interface SentStatement {
  readonly isOfHolders: boolean;
  readonly resolve: (row: SqlRow) => void;
}

/** A session. It runs statements, and delivers answers, in the order in which they were sent. */
interface SimulatedSession {
  readonly sent: SentStatement[];
  readonly answers: (() => void)[];
  /** The holders that the last look has read ahead. */
  holders: string | null;
}

/** Simulates transactions that overlap, as a database shows them to a horizon over two sessions. */
export class OverlappingWriters {
  readonly horizon: LogHorizon;
  readonly #random: SeededRandom;
  readonly #wrong: WrongLook | null;
  readonly #sessions = [0, 1].map((): SimulatedSession => ({ sent: [], answers: [], holders: null }));
  #open: OpenTransaction[] = [];
  #begun = 0;
  #last = 0;
  /** The last number before any restoration. */
  #greatest = 0;
  #time = 0;
  #looks = 0;
  /** The last sequence that a reader has passed. */
  #passed = 0;

  constructor(random: SeededRandom, wrong: WrongLook | null = null) {
    this.#random = random;
    this.#wrong = wrong;
    // Each call is later than the longest wait: a reader takes what is known after one look.
    let elapsed = 0;
    this.horizon = new LogHorizon({ get: (statement) => this.#send(statement) }, () => (elapsed += 100));
  }

  /** The last number that was allocated. */
  get last(): number {
    return this.#last;
  }

  /** A statement runs, an answer arrives, or a transaction begins, gets a number, or ends. */
  step(): void {
    if (this.#random.oneIn(2)) this.#write();
    else this.#work();
  }

  /** Reads up to the horizon. Nothing that appears later may be before it. */
  async read(): Promise<number> {
    const settled = await this.horizon.settledSequence();
    this.#passed = Math.max(this.#passed, settled);
    return settled;
  }

  begin(): void {
    this.#begun += 1;
    this.#open.push({ name: `3/${this.#begun}`, sequences: [] });
  }

  /** @throws {AssertionError} where a number appears that a reader has passed */
  endAll(): void {
    while (this.#open.length > 0) this.#end(true);
  }

  /** Answers all that was sent, until a read is done. */
  async finish<T>(read: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const end = (): boolean => (state.isDone = true);
    read.then(end, end);
    while (!state.isDone) {
      for (let left = 20; left > 0; left -= 1) this.#work();
      await setImmediate();
    }
    return read;
  }

  /** The database is as it was some numbers earlier, and other transactions are open. Readers begin again. */
  restore(): void {
    const last = this.#last;
    this.#open = [];
    this.#last = Math.max(0, last - 2 - this.#random.integer(6));
    this.#passed = 0;
    this.begin();
    if (this.#last + 1 < last) this.#allocate();
  }

  #write(): void {
    const chosen = this.#random.integer(10);
    if (chosen < 3) this.begin();
    else if (chosen < 7) this.#allocate();
    else this.#end(chosen < 9);
  }

  #allocate(): void {
    if (this.#open.length === 0) return;
    this.#last += 1;
    this.#greatest = Math.max(this.#greatest, this.#last);
    this.#random.pick(this.#open).sequences.push(this.#last);
  }

  #end(isCommitted: boolean): void {
    const [ended] = this.#open.splice(this.#random.integer(this.#open.length), 1);
    for (const sequence of isCommitted ? (ended?.sequences ?? []) : [])
      assert.ok(sequence > this.#passed, `${sequence} appears after a reader passed ${this.#passed}`);
  }

  #work(): void {
    const session = this.#random.pick(this.#sessions);
    if (this.#random.oneIn(2)) session.answers.shift()?.();
    else this.#run(session);
  }

  /** Runs the next statement of a session. */
  #run(session: SimulatedSession): void {
    const next = session.sent.shift();
    if (next === undefined) return;
    this.#time += 1;
    const row = { now: this.#time, ...(next.isOfHolders ? this.#readHolders(session) : this.#readLast(session)) };
    session.answers.push(() => next.resolve(row));
  }

  #readLast(session: SimulatedSession): SqlRow {
    session.holders = this.#listHolders();
    if (this.#wrong === 'reads the holders first') for (let left = 3; left > 0; left -= 1) this.#write();
    const last = this.#wrong === 'remembers numbers of a database that was restored' ? this.#greatest : this.#last;
    const isUnused = this.#wrong === 'reads 1 of a sequence that is not used' && last === 0;
    return { sequence: isUnused ? 1 : last, revision: last };
  }

  #readHolders({ holders }: SimulatedSession): SqlRow {
    if (this.#wrong === 'ignores the holders') return { holders: null };
    return { holders: this.#wrong === 'reads the holders first' ? holders : this.#listHolders() };
  }

  #listHolders(): string | null {
    return this.#open.length === 0 ? null : this.#open.map(({ name }) => name).join(',');
  }

  /** Sends the two statements of a look on one session, and those of the next one on the other. */
  #send({ text }: Statement): Promise<SqlRow> {
    const isOfHolders = text.includes('pg_locks');
    const session = this.#sessions[this.#looks % 2] ?? assert.fail();
    if (isOfHolders) this.#looks += 1;
    return new Promise((resolve) => {
      session.sent.push({ isOfHolders, resolve });
    });
  }
}
