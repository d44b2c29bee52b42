import type { Observe } from '../../observe/observation.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { StoreUnavailable, type UnavailableReason } from '../store.ts';

/** Milliseconds between two attempts to write while writes fail. */
const PROBE_INTERVAL = 1_000;

/**
 * Failures that end by themselves, once there is space or the disk works. A lock is not among them: it concerns single
 * writes.
 */
const RECOVERABLE: ReadonlySet<UnavailableReason | null> = new Set<UnavailableReason>(['full', 'io', 'read-only']);

interface WriteHealthOptions {
  /** Writes something. @throws where that fails */
  readonly probe: () => MaybePromise<void>;
  /** The failure of the database that an error of its driver is; null for one of a statement. */
  readonly unavailable: (error: unknown) => StoreUnavailable | null;
  /**
   * The error to report for any other: the database may have been migrated to another model. Default: the error itself.
   */
  readonly explain?: (error: unknown) => unknown;
  /** True if a corrupt database takes no more writes until a restart: they could damage it further. */
  readonly stopsWhenCorrupt: boolean;
  readonly observe: Observe;
  /** Milliseconds between two probes. Default: 1 s. */
  readonly interval?: number;
}

/**
 * Tracks whether writes reach the disk (OPS-7). After a write that failed, a probe writes until it succeeds; requests
 * are still tried meanwhile, because a small one may fit.
 */
export class WriteHealth {
  readonly #options: WriteHealthOptions;
  #failure: StoreUnavailable | null = null;
  #isProbing = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WriteHealthOptions) {
    this.#options = options;
  }

  /** For readiness. @throws {StoreUnavailable} while writes fail */
  requireHealthy(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** @throws {StoreUnavailable} once the database is known to be corrupt */
  requireWritable(): void {
    if (this.#failure?.reason === 'corrupt') throw this.#failure;
  }

  /** The error to report for one that a write ended with. */
  writeFailed(error: unknown): unknown {
    const failure = this.#failureOf(error);
    if (failure !== null && RECOVERABLE.has(failure.reason)) this.#record(failure);
    return this.#reported(failure, error);
  }

  /** The error to report for one that a read ended with. Only corruption says anything about writes. */
  readFailed(error: unknown): unknown {
    return this.#reported(this.#failureOf(error), error);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopProbes();
  }

  #stopProbes(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #reported(failure: StoreUnavailable | null, error: unknown): unknown {
    if (failure?.reason === 'corrupt' && this.#options.stopsWhenCorrupt) this.#record(failure);
    return failure ?? this.#options.explain?.(error) ?? error;
  }

  #record(failure: StoreUnavailable | null): void {
    if (this.#isClosed || this.#failure?.reason === 'corrupt') return;
    const isNew = this.#failure?.reason !== failure?.reason;
    this.#failure = failure;
    if (isNew) this.#options.observe({ kind: 'database-writes', failure });
    if (failure === null || failure.reason === 'corrupt') this.#stopProbes();
    else this.#timer ??= setInterval(() => this.#probe(), this.#options.interval ?? PROBE_INTERVAL).unref();
  }

  #probe(): void {
    if (this.#isProbing) return;
    try {
      const probed = this.#options.probe();
      if (probed instanceof Promise) void this.#wait(probed);
      else this.#record(null);
    } catch (error) {
      this.writeFailed(error);
    }
  }

  async #wait(probed: Promise<void>): Promise<void> {
    this.#isProbing = true;
    try {
      await probed;
      this.#record(null);
    } catch (error) {
      this.writeFailed(error);
    } finally {
      this.#isProbing = false;
    }
  }

  #failureOf(error: unknown): StoreUnavailable | null {
    return error instanceof StoreUnavailable ? error : this.#options.unavailable(error);
  }
}
