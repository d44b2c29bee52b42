import { type DeliveryBudget, type DeliveryPlace, type Speed, SPEEDS } from './delivery-budget.ts';

/** An endpoint whose attempts take places of a budget. */
export interface Placed {
  /** The place that its next attempt takes. */
  readonly place: DeliveryPlace;
}

type Owners<E> = Map<string, Set<E>>;

/**
 * Endpoints that may start attempts, by their class and owner. Both are in round-robin order.
 */
export class ReadyEndpoints<E extends Placed> {
  readonly #classes: Readonly<Record<Speed, Owners<E>>> = { quick: new Map(), unknown: new Map(), slow: new Map() };
  /** The place of each endpoint as it was added. */
  readonly #places = new Map<E, DeliveryPlace>();
  /** The number of endpoints of each owner. */
  readonly #owners = new Map<string, number>();

  /** Adds an endpoint, behind the others. One that is there keeps its turn, unless its class has changed. */
  add(endpoint: E): void {
    const { place } = endpoint;
    const { speed, owner } = place;
    const added = this.#places.get(endpoint);
    if (added?.speed === speed && added.owner === owner) return;
    this.delete(endpoint);
    const owners = this.#classes[speed];
    const endpoints = owners.get(owner) ?? new Set<E>();
    owners.set(owner, endpoints.add(endpoint));
    this.#places.set(endpoint, place);
    this.#owners.set(owner, (this.#owners.get(owner) ?? 0) + 1);
  }

  delete(endpoint: E): void {
    const place = this.#places.get(endpoint);
    if (place === undefined) return;
    const { speed, owner } = place;
    const endpoints = this.#classes[speed].get(owner);
    endpoints?.delete(endpoint);
    if (endpoints?.size === 0) this.#classes[speed].delete(owner);
    this.#places.delete(endpoint);
    const count = (this.#owners.get(owner) ?? 0) - 1;
    if (count > 0) this.#owners.set(owner, count);
    else this.#owners.delete(owner);
  }

  /** Ends the turn of an endpoint and of its owner. */
  rotate(endpoint: E): void {
    const place = this.#places.get(endpoint);
    if (place === undefined) return;
    const owners = this.#classes[place.speed];
    const endpoints = owners.get(place.owner);
    if (endpoints === undefined) return;
    endpoints.delete(endpoint);
    endpoints.add(endpoint);
    owners.delete(place.owner);
    owners.set(place.owner, endpoints);
  }

  clear(): void {
    for (const speed of SPEEDS) this.#classes[speed].clear();
    this.#places.clear();
    this.#owners.clear();
  }

  /** True if endpoints of other owners wait. */
  isContended(owner: string): boolean {
    return this.#owners.size > (this.#owners.has(owner) ? 1 : 0);
  }

  /** Lists the owners of a class, the one whose turn it is first. */
  owners(speed: Speed): readonly string[] {
    return [...this.#classes[speed].keys()];
  }

  /** Iterates over the endpoints of an owner, the one whose turn it is first. */
  *of(speed: Speed, owner: string): Generator<E, void> {
    yield* this.#classes[speed].get(owner) ?? [];
  }
}

/** The endpoints that may start attempts, and the budget that they share. */
interface RoundRobin<E extends Placed> {
  readonly ready: ReadyEndpoints<E>;
  readonly budget: DeliveryBudget;
  /** Milliseconds that all have to wait. Default: none. */
  readonly wait?: () => number;
}

/**
 * Starts attempts to the endpoints of a class, round-robin over their owners, as far as the budget admits them.
 *
 * @param startOne starts an attempt to an endpoint of an owner; false if it has none to start
 * @returns milliseconds that all have to wait
 */
export function startRoundRobin<E extends Placed>(
  { ready, budget, wait = () => 0 }: RoundRobin<E>,
  speed: Speed,
  startOne: (place: DeliveryPlace) => boolean,
): number {
  let owners = ready.owners(speed);
  while (owners.length > 0) {
    const left: string[] = [];
    for (const owner of owners) {
      if (budget.isFull(speed)) return 0;
      const milliseconds = wait();
      if (milliseconds > 0) return milliseconds;
      const place = { speed, owner };
      if (budget.admits(place, ready.isContended(owner)) && startOne(place)) left.push(owner);
    }
    owners = left;
  }
  return 0;
}
