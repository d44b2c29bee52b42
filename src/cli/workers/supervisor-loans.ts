import type { Loan, LoanRequest, RateLender } from '../../limits/leased-rate-limiter.ts';
import { type HashedKey, keyedHash } from '../../limits/keyed-hash.ts';
import { atEndOfTick } from '../../platform/end-of-tick.ts';
import type { WorkerMessage } from './worker-messages.ts';

/** A request that waits for its loan. */
interface Borrowing {
  readonly request: LoanRequest;
  readonly resolve: (loan: Loan) => void;
}

/** The options of borrowing from the supervisor. */
interface SupervisorLoansOptions {
  /** The secret of the hash of names, the same for all workers: 16 hexadecimal digits. */
  readonly secret: string;
  readonly send: (message: WorkerMessage) => void;
}

/** Borrows units of rate limits from the supervisor: what one iteration of the event loop needs is one message. */
export class SupervisorLoans implements RateLender {
  readonly isShared = false;
  readonly #hash: (name: string) => HashedKey;
  readonly #send: SupervisorLoansOptions['send'];
  #queue: Borrowing[] = [];
  /** Messages without an answer, by id. */
  readonly #sent = new Map<number, readonly Borrowing[]>();
  #lastId = 0;
  #isAlone = false;

  constructor({ secret, send }: SupervisorLoansOptions) {
    this.#hash = keyedHash(secret);
    this.#send = send;
  }

  hash(name: string): HashedKey {
    return this.#hash(name);
  }

  borrow(request: LoanRequest): Promise<Loan> {
    if (this.#isAlone) return Promise.resolve(wholeLoan(request));
    const { promise, resolve } = Promise.withResolvers<Loan>();
    this.#queue.push({ request, resolve });
    if (this.#queue.length === 1) atEndOfTick('flush', () => this.#flush());
    return promise;
  }

  /** Passes the answer to a message on to the requests that wait for it. */
  receive(id: number, loans: readonly Loan[]): void {
    const borrowings = this.#sent.get(id) ?? [];
    this.#sent.delete(id);
    for (const [index, { request, resolve }] of borrowings.entries()) resolve(loans[index] ?? wholeLoan(request));
  }

  /** From now on nothing is counted: the supervisor is gone, and the worker finishes its last requests. */
  disconnect(): void {
    this.#isAlone = true;
    this.#flush();
    for (const id of this.#sent.keys()) this.receive(id, []);
  }

  #flush(): void {
    const borrowings = this.#queue;
    if (borrowings.length === 0) return;
    this.#queue = [];
    this.#lastId += 1;
    this.#sent.set(this.#lastId, borrowings);
    this.#send({ kind: 'borrow', id: this.#lastId, requests: borrowings.map(({ request }) => request) });
  }
}

function wholeLoan({ units }: LoanRequest): Loan {
  return { units, lacking: 0 };
}
