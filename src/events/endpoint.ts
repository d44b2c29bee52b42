import type { DeliveryChange } from '../plan/delivery-plan.ts';
import type { LoggedEvent } from '../stores/store.ts';
import type { DeliveryPlace } from './delivery-budget.ts';
import { type EndedAttempt, EndpointSpeed } from './endpoint-speed.ts';
import { matchingPatterns } from './pattern-index.ts';
import type { Subscriber, Subscription } from './subscriber.ts';

/** Events that wait in memory for their first attempt. A subscription with more reads the log itself. */
const MAX_QUEUED = 128;

/** A delivery to be attempted. */
export interface Work {
  readonly event: LoggedEvent;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** True if the delivery is stored: it failed before, or was requested. */
  readonly isStored: boolean;
  /** The resource of the event, if the subscription is ordered. */
  readonly resource: string | null;
}

/** The result of offering an event to an endpoint: `held` if its delivery must be stored and wait for another one. */
export type Offered = 'queued' | 'held' | 'full';

/**
 * The deliveries of one subscription in memory: those that wait, those in flight, and the number that may be attempted
 * at a time. A failing subscription may have one attempt; each success doubles the number up to the limit.
 */
export class Endpoint {
  subscription: Subscription;
  /**
   * The last sequence that was offered to an endpoint that does not follow the reader. One that follows gets no event
   * up to it.
   */
  offered: number;
  /**
   * True if the reader of the log offers new events to it. Otherwise it is first offered those after {@link offered}.
   */
  isFollowing: boolean;
  /** The stored position; null if it is that of the reader. */
  storedPosition: number | null;
  /** The stored position when this process began to deliver, or when the subscription came back. */
  start: number | null;
  readonly #limits: Pick<Subscriber, 'concurrency' | 'drainRate'>;
  readonly #queue: Work[] = [];
  readonly #retries: Work[] = [];
  /** Sequences of events that are neither done nor stored as deliveries, ascending. */
  readonly #outstanding = new Set<number>();
  /** Sequences of events after the position whose deliveries are stored. */
  readonly #stored = new Set<number>();
  /** Resources with an attempt in flight, of an ordered subscription. */
  readonly #busy = new Set<string>();
  /** Resources with waiting and held deliveries, and their number. */
  readonly #open = new Map<string, number>();
  #inFlight = 0;
  #attemptsEnded = 0;
  #slots = 1;
  readonly #speed = new EndpointSpeed();
  #isRecovering = false;
  /** Monotonic milliseconds before which no attempt starts. */
  #nextStart = 0;

  constructor(
    subscription: Subscription,
    limits: Pick<Subscriber, 'concurrency' | 'drainRate'>,
    position: number | null,
  ) {
    this.subscription = subscription;
    this.offered = position ?? 0;
    this.isFollowing = position === null;
    this.storedPosition = position;
    this.start = position;
    this.#limits = limits;
  }

  /** True if it has no state that matters: a new endpoint would behave in the same way, but be of unknown speed. */
  get isIdle(): boolean {
    const isQuiet = this.#outstanding.size === 0 && this.#inFlight === 0 && this.#retries.length === 0;
    const isPlain = !this.#isRecovering && this.#speed.value !== 'slow';
    return isQuiet && this.isFollowing && this.storedPosition === null && this.#open.size === 0 && isPlain;
  }

  /** The place that its next attempt takes. */
  get place(): DeliveryPlace {
    return { speed: this.#speed.value, owner: this.subscription.owner ?? this.subscription.name };
  }

  /** True if an attempt is in flight. */
  get isAttempting(): boolean {
    return this.#inFlight > 0;
  }

  /** True if it has deliveries to attempt, or attempts in flight. */
  get isAtWork(): boolean {
    return this.#inFlight + this.#queue.length + this.#retries.length > 0;
  }

  /** A number that changes with the end of each attempt. */
  get attemptsEnded(): number {
    return this.#attemptsEnded;
  }

  get hasRoom(): boolean {
    return this.#queue.length < MAX_QUEUED / 2;
  }

  /** Number of attempts that may start besides those that wait. */
  get freeSlots(): number {
    return Math.max(0, this.#slots - this.#inFlight - this.#retries.length);
  }

  /**
   * Returns the position to store, before the first event that is not done; null if it is that of the reader.
   *
   * @param reader the position of the reader
   */
  position(reader: number): number | null {
    const [first] = this.#outstanding;
    if (first !== undefined) return first - 1;
    return this.isFollowing && this.offered <= reader ? null : this.offered;
  }

  /** Excludes events that have stored deliveries. */
  skip(sequences: readonly number[]): void {
    for (const sequence of sequences) this.#stored.add(sequence);
  }

  /** Discards the events that wait for their first attempt. */
  discard(): void {
    this.#queue.length = 0;
    this.#outstanding.clear();
  }

  /**
   * Restarts a subscription that has come back, like a new one, at a stored position. Attempts in flight and retries go
   * on, so that later events of their resources wait for them. Add its stored deliveries again by {@link skip} and
   * {@link open}.
   */
  restart(subscription: Subscription, position: number | null): void {
    this.discard();
    this.subscription = subscription;
    this.offered = position ?? 0;
    this.isFollowing = position === null;
    this.storedPosition = position;
    this.start = position;
    this.#stored.clear();
    this.#open.clear();
  }

  /** True if an event type matches one of its patterns. */
  matches(type: string): boolean {
    const { patterns } = this.subscription;
    return matchingPatterns(type).some((pattern) => patterns.includes(pattern));
  }

  /** True if an event that matches its patterns is to be delivered. Call it once for each event. */
  wants(event: LoggedEvent): boolean {
    if (this.#stored.delete(event.sequence)) return false;
    const { accepts, until = Number.MAX_SAFE_INTEGER } = this.subscription;
    return event.sequence <= until && (accepts?.(event) ?? true);
  }

  /** Offers it the next event that it wants. */
  offer(event: LoggedEvent): Offered {
    const resource = this.resourceOf(event);
    if (resource !== null && this.#open.has(resource)) return 'held';
    if (this.#queue.length >= MAX_QUEUED) return 'full';
    this.#queue.push({ event, attempt: 1, isStored: false, resource });
    this.#outstanding.add(event.sequence);
    return 'queued';
  }

  /** Adds a stored delivery that is due. */
  retry(event: LoggedEvent, { attempts, resource }: DeliveryChange): void {
    this.#retries.push({ event, attempt: attempts, isStored: true, resource });
  }

  /** Adds stored deliveries of a resource that its later events wait for. */
  open(resource: string, count = 1): void {
    this.#open.set(resource, (this.#open.get(resource) ?? 0) + count);
  }

  /** True if later events of the resource have to wait. */
  isOpen(resource: string): boolean {
    return this.#open.has(resource);
  }

  /** Removes a stored delivery that is done. @returns true if others of its resource wait for it */
  close(resource: string): boolean {
    const left = (this.#open.get(resource) ?? 0) - 1;
    if (left > 0) this.#open.set(resource, left);
    else this.#open.delete(resource);
    return left > 0;
  }

  /** Removes the queued events of a resource, whose deliveries are stored as held from now on. */
  takeQueued(resource: string): readonly LoggedEvent[] {
    const taken = this.#queue.filter((work) => work.resource === resource);
    if (taken.length > 0) this.#queue.splice(0, Infinity, ...this.#queue.filter((work) => work.resource !== resource));
    for (const { event } of taken) this.#outstanding.delete(event.sequence);
    return taken.map(({ event }) => event);
  }

  /** Takes the next delivery that may start now; null if none may. @param elapsed monotonic milliseconds */
  next(elapsed: number): Work | null {
    if (this.#inFlight >= this.#slots || elapsed < this.#nextStart) return null;
    const work = takeFirst(this.#retries, this.#isFree) ?? takeFirst(this.#queue, this.#isFree);
    if (work === null) return null;
    this.#inFlight += 1;
    if (work.resource !== null) this.#busy.add(work.resource);
    const { drainRate } = this.#limits;
    if (this.#isRecovering && drainRate !== null) this.#nextStart = elapsed + 1_000 / drainRate;
    return work;
  }

  /** Monotonic milliseconds at which it may start more; null if it waits for something else. */
  get startsAt(): number | null {
    const waits = this.#queue.length + this.#retries.length > 0 && this.#inFlight < this.#slots;
    return waits && this.#nextStart > 0 ? this.#nextStart : null;
  }

  /** Records the end of an attempt. */
  ended({ event, isStored, resource }: Work, attempt: EndedAttempt): void {
    const { succeeded } = attempt;
    this.#inFlight -= 1;
    this.#attemptsEnded += 1;
    if (resource !== null) this.#busy.delete(resource);
    if (!isStored) this.#outstanding.delete(event.sequence);
    this.#speed.ended(attempt);
    this.#slots = succeeded ? Math.min(this.#slots * 2, this.#limits.concurrency) : 1;
    const hasMore = isStored || this.#outstanding.size > 0 || this.#retries.length > 0 || !this.isFollowing;
    this.#isRecovering = !succeeded || (this.#isRecovering && hasMore);
  }

  /** Names the resource of an event if the order of its events matters; null otherwise. */
  resourceOf({ event }: LoggedEvent): string | null {
    if (!this.subscription.ordered) return null;
    const { type, id } = event.payload.resource;
    return [type, ...event.payload.parents.map((parent) => parent.id), id].map(encodeURIComponent).join('/');
  }

  readonly #isFree = ({ resource }: Work): boolean => resource === null || !this.#busy.has(resource);
}

function takeFirst(works: Work[], isFree: (work: Work) => boolean): Work | null {
  const index = works.findIndex(isFree);
  if (index === -1) return null;
  const [work = null] = index === 0 ? [works.shift()] : works.splice(index, 1);
  return work;
}
