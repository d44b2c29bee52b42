import type { MaybePromise } from '../platform/maybe-promise.ts';
import { type KeyFinder, type KeySet, matchingKeys, type WantedKey } from './key-finder.ts';
import { isSameSet } from './key-set.ts';

/** Keys as they were read, and for how long they need not be read again. */
export interface LoadedKeys {
  readonly keys: KeySet;
  /** Milliseconds; null where the source does not say. */
  readonly maxAge: number | null;
}

export interface RefreshedKeysOptions {
  /** Reads the keys. What it throws or rejects with leaves the earlier keys in use. */
  readonly load: () => Promise<LoadedKeys>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Called where the keys could not be read. */
  readonly onFailure: (error: unknown) => void;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const DEFAULT_AGE = 60 * MINUTE;
const MIN_AGE = 5 * MINUTE;
const MAX_AGE = 24 * 60 * MINUTE;
/**
 * The milliseconds for which keys that are due are used while they are read again. After that requests wait: no request
 * has used the keys for a while.
 */
const GRACE = 5 * MINUTE;
/** Between two reads (AUTH-2): tokens with unknown key ids must not become requests to the issuer. */
const PAUSE = 30 * SECOND;
/** Between two reads while there are no keys at all. */
const COLD_PAUSE = 5 * SECOND;

/**
 * Keys that are read from their source when they are first needed, when they are due, and when a token names an unknown
 * one. All waiting requests share one read. Where the source is down, earlier keys stay in use.
 */
export class RefreshedKeys implements KeyFinder {
  readonly #options: RefreshedKeysOptions;
  #keys: KeySet | null = null;
  #dueAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<KeySet | null> | null = null;
  /**
   * True if requests wait for the read that is under way: the first one since the keys are long due. If it fails, later
   * ones do not.
   */
  #isAwaited = false;

  constructor(options: RefreshedKeysOptions) {
    this.#options = options;
  }

  current(): KeySet | null {
    const now = this.#options.elapsed();
    if (now < this.#dueAt || !this.#mayRead(now)) return this.#keys;
    if (this.#reading === null) this.#isAwaited = now >= this.#dueAt + GRACE && this.#readAt < this.#dueAt;
    void this.#read(now);
    return this.#isAwaited ? null : this.#keys;
  }

  find(wanted: WantedKey): MaybePromise<KeySet | null> {
    const keys = this.current();
    if (keys !== null && matchingKeys(keys, wanted).length > 0) return keys;
    const now = this.#options.elapsed();
    return this.#mayRead(now) ? this.#read(now) : this.#keys;
  }

  /** Reads the keys. @throws what the source throws */
  async start(): Promise<void> {
    const { load, elapsed } = this.#options;
    this.#accept(await load(), elapsed());
  }

  /** Also while a read is under way, which is then shared. */
  #mayRead(now: number): boolean {
    if (this.#reading !== null) return true;
    return now - this.#readAt >= (this.#keys === null ? COLD_PAUSE : PAUSE);
  }

  #read(now: number): Promise<KeySet | null> {
    this.#reading ??= this.#load(now);
    return this.#reading;
  }

  async #load(now: number): Promise<KeySet | null> {
    const { load, elapsed, onFailure } = this.#options;
    this.#readAt = now;
    try {
      this.#accept(await load(), elapsed());
    } catch (error) {
      onFailure(error);
    } finally {
      this.#reading = null;
      this.#isAwaited = false;
    }
    return this.#keys;
  }

  #accept({ keys, maxAge }: LoadedKeys, now: number): void {
    if (this.#keys === null || !isSameSet(this.#keys, keys)) this.#keys = keys;
    this.#dueAt = now + Math.min(Math.max(maxAge ?? DEFAULT_AGE, MIN_AGE), MAX_AGE);
  }
}
