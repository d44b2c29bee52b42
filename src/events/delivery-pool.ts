import type { DeliveryChange, DeliveryState } from '../plan/delivery-plan.ts';
import type { Observe } from '../observe/observation.ts';
import type { Clock } from '../platform/clock.ts';
import type { LoggedEvent } from '../stores/store.ts';
import { type DeliveryBudget, type DeliveryPlace, SPEEDS } from './delivery-budget.ts';
import type { DeliveryPace } from './delivery-pace.ts';
import type { Endpoint, Work } from './endpoint.ts';
import type { ProgressStore } from './progress-store.ts';
import { ReadyEndpoints, startRoundRobin } from './ready-endpoints.ts';
import { nextDelay } from './retry-schedule.ts';
import type { Subscriber, AttemptResult, Delivery } from './subscriber.ts';
import { channels, type DeliveryContext, publish } from '../platform/trace-channels.ts';

export interface DeliveryPoolOptions {
  readonly subscriber: Subscriber;
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly observe: Observe;
  readonly budget: DeliveryBudget;
  readonly pace: Pick<DeliveryPace, 'wait' | 'started'>;
  readonly progress: Pick<ProgressStore, 'isOverdue' | 'ended' | 'add' | 'release'>;
  /** Called after each attempt: there may be results to store and attempts to start. */
  readonly onEnd: (endpoint: Endpoint) => void;
}

/**
 * Starts the attempts of a reader within the limits of the process and of each endpoint, and decides the next state of
 * each delivery.
 */
export class DeliveryPool {
  readonly #options: DeliveryPoolOptions;
  /** Endpoints that may start attempts. */
  readonly #ready = new ReadyEndpoints<Endpoint>();
  /** Endpoints that may start attempts later, because their rate is limited. */
  #later = new Set<Endpoint>();
  /** The class of endpoints that has the first turn: no other keeps it from its places. */
  #turn = 0;
  /** True if attempts wait until writes leave time for them. */
  #isPaced = false;
  #inFlight = 0;
  /** Called when no attempt is in flight anymore. */
  #onIdle: (() => void) | null = null;
  /** Changes when another process takes the lease. The results of earlier attempts are then ignored. */
  #term = 0;
  #stopped = false;

  constructor(options: DeliveryPoolOptions) {
    this.#options = options;
  }

  /** The number of attempts in flight. */
  get size(): number {
    return this.#inFlight;
  }

  /** True if attempts wait for their time. */
  get isWaiting(): boolean {
    return this.#isPaced || this.#later.size > 0;
  }

  /** Discards queued deliveries, and ignores the results of attempts in flight. */
  reset(): void {
    this.#term += 1;
    this.#ready.clear();
    this.#later.clear();
    this.#isPaced = false;
  }

  /** Starts no more attempts. Resolves when those in flight have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#inFlight === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    await promise;
  }

  /** Adds an endpoint that has deliveries to attempt. */
  add(endpoint: Endpoint): void {
    this.#ready.add(endpoint);
  }

  /**
   * Stores the delivery of an event instead of attempting it: it waits, or is held back behind another one of its
   * resource.
   */
  postpone(endpoint: Endpoint, event: LoggedEvent): void {
    const resource = endpoint.resourceOf(event);
    const state = resource !== null && endpoint.isOpen(resource) ? 'held' : 'waiting';
    if (resource !== null) endpoint.open(resource);
    this.#store(endpoint, { sequence: event.sequence, state, attempts: 0, due: this.#options.clock.now(), resource });
  }

  /**
   * Starts as many attempts as may be in flight, round-robin over the owners. A class of endpoints without free places
   * holds up no other.
   *
   * @returns milliseconds until more may start; null if unknown
   */
  start(): number | null {
    const { progress, elapsed, budget, pace } = this.#options;
    if (this.#stopped || progress.isOverdue) return null;
    for (const endpoint of this.#later) this.#ready.add(endpoint);
    this.#later.clear();
    this.#isPaced = false;
    this.#turn = (this.#turn + 1) % SPEEDS.length;
    for (const speed of [...SPEEDS.slice(this.#turn), ...SPEEDS.slice(0, this.#turn)]) {
      const wait = startRoundRobin({ ready: this.#ready, budget, wait: () => pace.wait }, speed, (place) =>
        this.#startOne(place),
      );
      this.#isPaced = wait > 0;
      if (this.#isPaced) return wait;
    }
    const starts = [...this.#later].map(({ startsAt }) => startsAt ?? 0);
    return starts.length === 0 ? null : Math.min(...starts) - elapsed();
  }

  /** Starts an attempt to an endpoint of an owner. @returns false if it has nothing to start */
  #startOne(place: DeliveryPlace): boolean {
    const { budget, pace, elapsed } = this.#options;
    for (const endpoint of this.#ready.of(place.speed, place.owner)) {
      // The end of its attempt adds it again.
      const isHeld = budget.isCrowded && endpoint.isAttempting;
      const work = isHeld ? null : endpoint.next(elapsed());
      if (work === null) {
        this.#ready.delete(endpoint);
        if (!isHeld && endpoint.startsAt !== null) this.#later.add(endpoint);
        continue;
      }
      this.#ready.rotate(endpoint);
      budget.take(place);
      pace.started();
      void this.#attempt(endpoint, work, place);
      return true;
    }
    return false;
  }

  /** Never rejects. */
  async #attempt(endpoint: Endpoint, work: Work, place: DeliveryPlace): Promise<void> {
    const { budget, observe, subscriber, onEnd } = this.#options;
    const { subscription } = endpoint;
    const { event, attempt, isStored } = work;
    const term = this.#term;
    this.#inFlight += 1;
    const attempted = await attemptDelivery(
      subscriber,
      { subscription, event, attempt, isStored },
      this.#options.elapsed,
    );
    if (attempted.error !== null) {
      observe({ kind: 'error', correlationId: event.event.metadata.correlation_id, error: attempted.error });
    }
    const next = this.#stateAfter(work, attempted);
    await attempted.result.record?.(next.state === 'waiting' ? next.due : null);
    this.#inFlight -= 1;
    budget.release(place);
    if (term === this.#term) this.#settle(endpoint, work, { attempted, next });
    onEnd(endpoint);
    if (this.#inFlight === 0) this.#onIdle?.();
  }

  /** Decides the state of a delivery after an attempt. */
  #settle(endpoint: Endpoint, work: Work, { attempted, next }: Settled): void {
    const { progress } = this.#options;
    endpoint.ended(work, { succeeded: attempted.result.kind === 'succeeded', duration: attempted.duration });
    this.#ready.add(endpoint);
    progress.ended();
    if (work.isStored || next.state !== 'succeeded')
      this.#store(endpoint, { ...next, sequence: work.event.sequence, resource: work.resource });
    this.#report(next.state, work.event, attempted.duration);
    if (work.resource !== null)
      this.#order(endpoint, work, { resource: work.resource, isDone: next.state !== 'waiting' });
  }

  #report(state: DeliveryState, { event }: LoggedEvent, duration: number): void {
    const { clock, observe } = this.#options;
    const result = state === 'succeeded' || state === 'dead' ? state : 'retry';
    const lag = Math.max(0, clock.now() - Date.parse(event.payload.timestamp));
    observe({ kind: 'delivery', result, duration, lag });
  }

  #stateAfter({ attempt }: Work, { result: { kind, retryAfter = 0 } }: Attempted): Settled['next'] {
    const { clock, random, subscriber } = this.#options;
    const due = clock.now();
    const delay = kind === 'failed' ? nextDelay(subscriber.schedule, attempt, random()) : null;
    if (delay !== null) return { state: 'waiting', attempts: attempt, due: due + Math.max(delay, retryAfter) };
    return { state: kind === 'succeeded' ? 'succeeded' : 'dead', attempts: attempt, due };
  }

  /** Holds back the later events of a resource while one waits, and lets the next one pass when it is done (EVT-3c). */
  #order(endpoint: Endpoint, { isStored }: Work, { resource, isDone }: { resource: string; isDone: boolean }): void {
    if (isDone && isStored && endpoint.close(resource)) {
      this.#options.progress.release({
        endpoint: endpoint.subscription.name,
        resource,
        due: this.#options.clock.now(),
      });
    }
    if (isDone || isStored) return;
    endpoint.open(resource);
    for (const event of endpoint.takeQueued(resource)) this.postpone(endpoint, event);
  }

  #store(
    endpoint: Endpoint,
    delivery: Pick<DeliveryChange, 'sequence' | 'state' | 'attempts' | 'due' | 'resource'>,
  ): void {
    const { subscriber, progress } = this.#options;
    progress.add({ ...delivery, reader: subscriber.name, endpoint: endpoint.subscription.name });
  }
}

/**
 * An attempt that has ended, and the state of its delivery: `due` is computed once, recorded, stored and acted upon.
 */
interface Settled {
  readonly attempted: Attempted;
  readonly next: Pick<DeliveryChange, 'state' | 'attempts' | 'due'>;
}

/** An attempt that has ended. */
interface Attempted {
  readonly result: AttemptResult;
  /** The error that the subscriber rejected with; null if it did not. */
  readonly error: unknown;
  /** Milliseconds, with fractions. */
  readonly duration: number;
}

/** Delivers an event, for as long as the subscriber may take. Never rejects. @param elapsed monotonic milliseconds */
async function attemptDelivery(
  subscriber: Pick<Subscriber, 'deliver' | 'timeout'>,
  delivery: Delivery,
  elapsed: () => number,
): Promise<Attempted> {
  const began = elapsed();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${delivery.subscription.name} took more than ${subscriber.timeout / 1_000} s`)),
    subscriber.timeout,
  );
  try {
    const delivered = publishAttempt(delivery, () => subscriber.deliver(delivery));
    const result = await Promise.race([delivered, expired]);
    return { result, error: null, duration: elapsed() - began };
  } catch (error) {
    return { result: { kind: 'failed' }, error, duration: elapsed() - began };
  } finally {
    clearTimeout(timer);
  }
}

/** Publishes an attempt to the subscribers of its channel, if there are any. */
async function publishAttempt(
  { subscription, event: { event }, attempt }: Delivery,
  run: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (!channels.delivery.hasSubscribers) return run();
  const { id: eventId, type: eventType } = event;
  const context: DeliveryContext = { endpoint: subscription.name, eventId, eventType, attempt, result: null };
  return publish(channels.delivery, context, run, ({ kind }) => (context.result = kind));
}
