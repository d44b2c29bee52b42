/**
 * The class of an endpoint by its attempts in this process. `slow`: they fail or take long; `unknown`: none has ended
 * yet; `quick`: all others.
 */
export type Speed = 'unknown' | 'quick' | 'slow';

export const SPEEDS: readonly Speed[] = ['quick', 'unknown', 'slow'];

/** A place that an attempt takes. */
export interface DeliveryPlace {
  readonly speed: Speed;
  /** Names the caller to whom the endpoint belongs. */
  readonly owner: string;
}

/** Concurrent deliveries of a process, to all subscriptions of all subscribers. */
const MAX_CONCURRENT = 256;
/** The share of these to endpoints that are not known to be quick. */
const UNPROVEN = 3 / 4;
/** The share of these to slow endpoints: however many hang, the others go on. */
const SLOW = 1 / 2;
/** The share of these to endpoints of one owner, while those of other owners wait. */
const SHARED = 1 / 8;

/** A number of places, and how many of them each owner has. */
class PlaceCount {
  readonly #size: number;
  readonly #byOwner = new Map<string, number>();
  used = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.used >= this.#size;
  }

  ownedBy(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  /** True if an owner has fewer places than are free: however many owners take all they can, some places are free. */
  admits(owner: string): boolean {
    return this.ownedBy(owner) < this.#size - this.used;
  }

  /** @param change 1 or -1 */
  add(owner: string, change: number): void {
    this.used += change;
    const count = this.ownedBy(owner) + change;
    if (count > 0) this.#byOwner.set(owner, count);
    else this.#byOwner.delete(owner);
  }
}

/** Limits the concurrent deliveries of a process, and shares them between owners (EVT-6c). */
export class DeliveryBudget {
  readonly #size: number;
  readonly #all: PlaceCount;
  /** The counts in which a place of a class counts. */
  readonly #counts: Readonly<Record<Speed, readonly PlaceCount[]>>;

  /** @param size the number of places */
  constructor(size = MAX_CONCURRENT) {
    this.#size = size;
    this.#all = new PlaceCount(size);
    const unproven = new PlaceCount(size * UNPROVEN);
    this.#counts = {
      quick: [this.#all],
      unknown: [this.#all, unproven],
      slow: [this.#all, unproven, new PlaceCount(size * SLOW)],
    };
  }

  get used(): number {
    return this.#all.used;
  }

  /** True if so many places are taken that an endpoint gets no second one. */
  get isCrowded(): boolean {
    return this.#all.used > this.#size / 2;
  }

  /** True if no owner gets a place of a class. */
  isFull(speed: Speed): boolean {
    return this.#counts[speed].some((count) => count.isFull);
  }

  /** True if a place may be taken. @param isContended true if endpoints of other owners wait */
  admits({ speed, owner }: DeliveryPlace, isContended: boolean): boolean {
    if (isContended && this.#all.ownedBy(owner) >= this.#size * SHARED) return false;
    return this.#counts[speed].every((count) => count.admits(owner));
  }

  take({ speed, owner }: DeliveryPlace): void {
    for (const count of this.#counts[speed]) count.add(owner, 1);
  }

  /** @param place as it was taken */
  release({ speed, owner }: DeliveryPlace): void {
    for (const count of this.#counts[speed]) count.add(owner, -1);
  }
}
