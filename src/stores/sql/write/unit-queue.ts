import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import { deliverySize } from '../events/delivery-statements.ts';

/** Limits of one transaction, so that a long queue does not block the thread: units, and plans of all its units. */
const MAX_UNITS = 256;
const MAX_PLANS = 1_000;

/** A unit that waits for its commit. */
export interface QueuedUnit {
  readonly unit: WriteUnit;
  readonly deadline: number | null;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** When the unit first met a locked database, in monotonic milliseconds; null before that. */
  lockedSince: number | null;
}

/** The result of a unit inside the transaction. Its promise is settled when the transaction is on disk. */
export type UnitResult = { readonly outcome: WriteOutcome } | { readonly error: unknown };

/** True if the changes of a unit stay: a dry run is always rolled back (MET-14). */
export function isKept({ dry = false }: WriteUnit, result: UnitResult | undefined): boolean {
  return !dry && result !== undefined && 'outcome' in result && result.outcome.kind === 'committed';
}

/**
 * The units that wait for their commit, in order. Those that allow a delay wait until others are taken, or for so long.
 */
export class UnitQueue {
  readonly #onUnits: () => void;
  #queue: QueuedUnit[] = [];
  /** Units that wait for others (`maxDelay`), and the timer of the first one. */
  #delayed: QueuedUnit[] = [];
  #timer: NodeJS.Timeout | null = null;
  #closed: Promise<void> | null = null;
  #drained: (() => void) | null = null;

  /** @param onUnits called when units can be taken */
  constructor(onUnits: () => void) {
    this.#onUnits = onUnits;
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Queues a unit. Its promise is settled by who takes it. */
  add(unit: WriteUnit, deadline: number | null): Promise<WriteOutcome> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    const queued: QueuedUnit = { unit, deadline, resolve, reject, lockedSince: null };
    if (unit.maxDelay !== undefined && unit.maxDelay > 0) this.#delay(queued, unit.maxDelay);
    else this.#enqueue([queued]);
    return promise;
  }

  /** Units from the head of the queue: at least one, then as many as the limits allow. */
  take(): readonly QueuedUnit[] {
    let plans = 0;
    let units = 0;
    for (const { unit } of this.#queue) {
      plans += unit.plans.length + (unit.delivery === undefined ? 0 : deliverySize(unit.delivery));
      if (units === MAX_UNITS || (units > 0 && plans > MAX_PLANS)) break;
      units += 1;
    }
    const group = this.#queue.slice(0, units);
    this.#queue = this.#queue.slice(units);
    return group;
  }

  /** Returns units to the head of the queue. */
  putBack(units: readonly QueuedUnit[]): void {
    this.#queue = [...units, ...this.#queue];
  }

  /** To be called once all units that were taken are settled. @returns whether others wait */
  settled(): boolean {
    if (this.#queue.length > 0) return true;
    this.#drained?.();
    return false;
  }

  /** Accepts no more units and resolves once the accepted ones are settled. @param isIdle whether no unit is taken */
  close(isIdle: boolean): Promise<void> {
    this.#enqueue([]);
    this.#closed ??= new Promise((resolve) => {
      if (this.#queue.length === 0 && isIdle) resolve();
      else this.#drained = resolve;
    });
    return this.#closed;
  }

  #enqueue(units: readonly QueuedUnit[]): void {
    this.#queue.push(...this.#takeDelayed(), ...units);
    if (this.#queue.length > 0) this.#onUnits();
  }

  #delay(queued: QueuedUnit, maxDelay: number): void {
    this.#delayed.push(queued);
    this.#timer ??= setTimeout(() => this.#enqueue([]), maxDelay);
  }

  #takeDelayed(): readonly QueuedUnit[] {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return this.#delayed.splice(0);
  }
}

/** The units that may still begin. Those whose deadline is over expire. @param now milliseconds since the epoch */
export function withoutExpired(units: readonly QueuedUnit[], now: number): readonly QueuedUnit[] {
  return units.filter(({ deadline, resolve }) => {
    const isExpired = deadline !== null && now > deadline;
    if (isExpired) resolve({ kind: 'expired' });
    return !isExpired;
  });
}
