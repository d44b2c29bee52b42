import type { Observe } from '../../observe/observation.ts';
import { CommandError, commandFailed, type ExitCode } from '../command-error.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import { isStopSignal, readStopSignal, type StopSignal } from '../terminal/terminal.ts';

/** The exit of a worker. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The error that the worker reported; null where it reported none. */
  readonly failure: Pick<CommandError, 'exitCode' | 'message'> | null;
}

/** A worker process. */
export interface WorkerHandle {
  readonly pid: number;
  /** Resolves when the worker accepts connections; never where it exits before. */
  readonly listening: Promise<ServedModel>;
  readonly exited: Promise<WorkerExit>;
  /** Asks whether its event loop runs. @param answered called for each answer, until the next call */
  ping(answered: () => void): void;
  /** Shuts the worker down gracefully. */
  stop(signal: StopSignal): void;
  /** Ends the worker immediately. */
  kill(): void;
}

export interface SuperviseOptions {
  /** Number of workers. */
  readonly count: number;
  /**
   * Starts a worker.
   *
   * @param slot from 0; a worker that replaces another one gets its slot, and its duties
   * @param peers what the other workers serve; null for the first worker
   * @param isPortShared whether another worker listens on the port
   */
  readonly start: (slot: number, peers: ServedModel | null, isPortShared: boolean) => WorkerHandle;
  /** Shuts all workers down. */
  readonly signal: AbortSignal;
  readonly observe: Observe;
  /**
   * Milliseconds between two pings of a worker that listens: it is killed after {@link MAX_UNANSWERED} of them without
   * an answer.
   */
  readonly pingInterval: number;
  /** Called when all workers accept connections. */
  readonly onListening: (served: ServedModel) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Waits for a number of milliseconds, or until the signal. */
  readonly sleep: (milliseconds: number, until: AbortSignal) => Promise<void>;
}

/** A worker whose event loop is blocked is killed when it has not answered so many pings in a row. */
export const MAX_UNANSWERED = 6;
/** A worker that served for this many milliseconds was healthy: its replacement starts without delay. */
const HEALTHY_AFTER = 10_000;
/** Milliseconds before a worker that exited earlier is restarted; the delay doubles with each restart. */
const MIN_RESTART_DELAY = 100;
const MAX_RESTART_DELAY = 10_000;
/** Milliseconds for the shutdown of workers that have not reported their own timeout yet. */
const DEFAULT_SHUTDOWN_TIMEOUT = 25_000;
/** Additional milliseconds for a worker to close its database and its log. */
const CLOSE_TIMEOUT = 3_000;
/**
 * Milliseconds in which a signal to the whole process group reaches this process, after a worker that was still
 * starting died of it.
 */
const GROUP_SIGNAL_DELAY = 250;
/** The command fails when a worker exits this many times in a row before it listens. */
const MAX_FAILED_STARTS = 6;

/**
 * Keeps the workers running until the signal. The first worker starts alone: it migrates the database, and an error
 * that stops it would stop every worker. A worker that exits is restarted, with exponential backoff where it exits
 * early.
 *
 * @returns 1 where a worker crashed during the shutdown, else 0
 * @throws {CommandError} the error of the first worker; exit 1 where a worker repeatedly fails to start
 */
export async function supervise(options: SuperviseOptions): Promise<ExitCode> {
  return new Supervisor(options).run();
}

class Supervisor {
  readonly #options: SuperviseOptions;
  readonly #workers = new Set<WorkerHandle>();
  readonly #listening = new Set<WorkerHandle>();
  readonly #readySlots = new Set<number>();
  readonly #killed = new Set<WorkerHandle>();
  readonly #stopping = new AbortController();
  readonly #stopped = new AbortController();
  #served: ServedModel | null = null;
  #failure: CommandError | null = null;
  #exitCode: ExitCode = 0;

  constructor(options: SuperviseOptions) {
    this.#options = options;
  }

  async run(): Promise<ExitCode> {
    const { count, signal } = this.#options;
    const stop = (): void => this.#stop();
    signal.addEventListener('abort', stop, { once: true });
    const first = this.#start(0);
    const isListening = await becomesListening(first);
    const others = isListening && !this.#stopping.signal.aborted ? count - 1 : 0;
    await Promise.all([
      this.#keepRunning(0, first),
      ...Array.from({ length: others }, (_, index) => this.#keepRunning(index + 1)),
    ]);
    signal.removeEventListener('abort', stop);
    this.#stopped.abort();
    if (this.#failure !== null) throw this.#failure;
    return this.#exitCode;
  }

  /** Keeps one slot occupied until the shutdown. */
  async #keepRunning(slot: number, first?: WorkerHandle): Promise<void> {
    const { observe, now, sleep } = this.#options;
    let worker = first ?? this.#start(slot);
    let [earlyExits, failedStarts] = [0, 0];
    for (;;) {
      const started = now();
      const listened = await becomesListening(worker);
      if (listened) void this.#killIfUnresponsive(worker);
      const exit = await worker.exited;
      this.#workers.delete(worker);
      this.#listening.delete(worker);
      if (isStopSignal(exit.signal)) await sleep(GROUP_SIGNAL_DELAY, this.#stopping.signal);
      if (this.#isShutdownExit(worker, exit)) return;
      failedStarts = listened ? 0 : failedStarts + 1;
      earlyExits = listened && now() - started >= HEALTHY_AFTER ? 0 : earlyExits + 1;
      if (this.#served === null || failedStarts === MAX_FAILED_STARTS) {
        this.#fail(exit);
        return;
      }
      const restartDelay =
        earlyExits === 0 ? 0 : Math.min(MAX_RESTART_DELAY, MIN_RESTART_DELAY * 2 ** (earlyExits - 1));
      const { code, signal, failure } = exit;
      const reason = failure?.message ?? null;
      observe({ kind: 'worker-exited', pid: worker.pid, code, signal, reason, restartDelay });
      await sleep(restartDelay, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      worker = this.#start(slot);
    }
  }

  /**
   * Kills a worker whose event loop is blocked, for example by model code. The requests of its clients would wait
   * forever, while the system still gives it new connections. Unanswered pings are counted instead of the time, which
   * also passes while this process does not run.
   */
  async #killIfUnresponsive(worker: WorkerHandle): Promise<void> {
    const { pingInterval, sleep, observe } = this.#options;
    const ended = new AbortController();
    void worker.exited.then(() => ended.abort());
    const until = AbortSignal.any([ended.signal, this.#stopping.signal]);
    let unanswered = 0;
    while (unanswered < MAX_UNANSWERED) {
      unanswered += 1;
      worker.ping(() => (unanswered = 0));
      await sleep(pingInterval, until);
      if (until.aborted) return;
    }
    observe({ kind: 'worker-unresponsive', pid: worker.pid, duration: unanswered * pingInterval });
    this.#kill(worker);
  }

  #start(slot: number): WorkerHandle {
    const worker = this.#options.start(slot, this.#served, this.#listening.size > 0);
    this.#workers.add(worker);
    void worker.listening.then((served) => this.#addListening(slot, worker, served));
    return worker;
  }

  #addListening(slot: number, worker: WorkerHandle, served: ServedModel): void {
    const { count, onListening } = this.#options;
    this.#served ??= served;
    if (served.url !== this.#served.url) {
      // The last of the other workers exited meanwhile, and the shared port was lost with it.
      worker.stop('SIGTERM');
      return;
    }
    this.#listening.add(worker);
    if (this.#readySlots.has(slot)) return;
    this.#readySlots.add(slot);
    if (this.#readySlots.size === count && !this.#stopping.signal.aborted) onListening(served);
  }

  /** True if the exit belongs to a shutdown. A crash during the shutdown sets the exit code. */
  #isShutdownExit(worker: WorkerHandle, { code, signal }: WorkerExit): boolean {
    const { aborted } = this.#stopping.signal;
    if (aborted && code !== 0 && !isStopSignal(signal) && !this.#killed.has(worker)) this.#exitCode = 1;
    return aborted;
  }

  #fail({ code, signal, failure }: WorkerExit): void {
    const { exitCode, message } =
      failure ?? commandFailed(`a worker process exited before it listened (${signal ?? `exit code ${code}`}).`);
    this.#failure = new CommandError(exitCode, message);
    this.#stop();
  }

  #stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    for (const worker of this.#workers) worker.stop(readStopSignal(this.#options.signal));
    void this.#killAfterTimeout();
  }

  /** Kills the workers that have not exited in time, for example because user code blocks their event loop. */
  async #killAfterTimeout(): Promise<void> {
    const { sleep, observe } = this.#options;
    await sleep((this.#served?.shutdownTimeout ?? DEFAULT_SHUTDOWN_TIMEOUT) + CLOSE_TIMEOUT, this.#stopped.signal);
    for (const worker of this.#workers) {
      observe({ kind: 'worker-killed', pid: worker.pid });
      this.#kill(worker);
    }
  }

  /** Kills a worker. Its exit is no crash. */
  #kill(worker: WorkerHandle): void {
    this.#killed.add(worker);
    worker.kill();
  }
}

/** True if a worker listens, and does not exit before. */
function becomesListening({ listening, exited }: WorkerHandle): Promise<boolean> {
  return Promise.race([listening.then(() => true), exited.then(() => false)]);
}
