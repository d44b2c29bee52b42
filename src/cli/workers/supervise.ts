import type { Observe } from '../../observe/observation.ts';
import { CommandError, type ExitCode, commandFailed } from '../command-error.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import { isStopSignal, signalOf, type StopSignal } from '../terminal/terminal.ts';

/** How a worker ended. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not serve, in its own words; null where it said nothing. */
  readonly failure: Pick<CommandError, 'exitCode' | 'message'> | null;
}

/** A process that serves beside others. */
export interface WorkerHandle {
  readonly pid: number;
  /** Resolves once it takes connections; never where it ends before. */
  readonly listening: Promise<ServedModel>;
  readonly exited: Promise<WorkerExit>;
  /** Lets it finish its requests and end. */
  stop(signal: StopSignal): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

export interface SuperviseOptions {
  /** How many workers serve. */
  readonly count: number;
  /**
   * @param place from 0: a worker that takes the place of another one takes over what was its alone
   * @param joins what the others serve; null for the first of all
   * @param held whether any of the others holds the address
   */
  readonly start: (place: number, joins: ServedModel | null, held: boolean) => WorkerHandle;
  /** Asks to stop. */
  readonly signal: AbortSignal;
  readonly observe: Observe;
  /** Told once all workers take connections. */
  readonly onListening: (url: string) => void;
  /** Milliseconds from any beginning. */
  readonly now: () => number;
  /** Waits for so many milliseconds, or until the signal. */
  readonly sleep: (milliseconds: number, until: AbortSignal) => Promise<void>;
}

/** A worker that served for so many milliseconds was well; what ended it is looked for elsewhere. */
const WELL_AFTER = 10_000;
/** Milliseconds before a worker is started again that ended early; twice as many each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** Milliseconds to stop for those of which none has said yet how many it needs. */
const SHUTDOWN_TIMEOUT = 25_000;
/** Milliseconds beyond that in which a worker closes its database and its log. */
const CLOSING = 3_000;
/** Milliseconds in which a signal that goes to a whole group reaches this process, once a worker that did not listen to it yet died of it. */
const GROUP_SIGNAL = 250;
/** Starts in a row that came to nothing: then the command ends. */
const MOST_VAIN_STARTS = 6;

/**
 * Keeps workers serving until it is asked to stop. The first one is alone until it listens: it brings the database to the model, and what
 * it cannot have, none can. A worker that ends is started again, after a growing pause where it ends early.
 *
 * @returns 1 where a worker crashed while it was to stop, else 0
 * @throws {CommandError} of the first worker; exit 1 where one does not come up again and again
 */
export async function supervise(supervision: SuperviseOptions): Promise<ExitCode> {
  return new Supervisor(supervision).run();
}

class Supervisor {
  readonly #options: SuperviseOptions;
  readonly #workers = new Set<WorkerHandle>();
  readonly #listening = new Set<WorkerHandle>();
  readonly #cameUp = new Set<number>();
  readonly #killed = new Set<WorkerHandle>();
  readonly #ending = new AbortController();
  readonly #ended = new AbortController();
  #served: ServedModel | null = null;
  #failure: CommandError | null = null;
  #exitCode: ExitCode = 0;

  constructor(options: SuperviseOptions) {
    this.#options = options;
  }

  async run(): Promise<ExitCode> {
    const { count, signal: stop } = this.#options;
    const end = (): void => this.#end();
    stop.addEventListener('abort', end, { once: true });
    const first = this.#start(0);
    const others = await Promise.race([first.listening.then(() => count - 1), first.exited.then(() => 0)]);
    const rest = this.#ending.signal.aborted ? 0 : others;
    await Promise.all([this.#keep(0, first), ...Array.from({ length: rest }, (_, index) => this.#keep(index + 1))]);
    stop.removeEventListener('abort', end);
    this.#ended.abort();
    if (this.#failure !== null) throw this.#failure;
    return this.#exitCode;
  }

  /** Has a worker in a place until the end. */
  async #keep(place: number, first?: WorkerHandle): Promise<void> {
    const { observe, now, sleep } = this.#options;
    let worker = first ?? this.#start(place);
    let [early, vain] = [0, 0];
    for (;;) {
      const began = now();
      const listened = await Promise.race([worker.listening.then(() => true), worker.exited.then(() => false)]);
      const ending = await worker.exited;
      this.#workers.delete(worker);
      this.#listening.delete(worker);
      if (isStopSignal(ending.signal)) await sleep(GROUP_SIGNAL, this.#ending.signal);
      if (this.#isOver(worker, ending)) return;
      vain = listened ? 0 : vain + 1;
      early = listened && now() - began >= WELL_AFTER ? 0 : early + 1;
      if (this.#served === null || vain === MOST_VAIN_STARTS) {
        this.#fail(ending);
        return;
      }
      const again = early === 0 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (early - 1));
      const { code, signal, failure } = ending;
      observe({
        kind: 'worker-exited',
        pid: worker.pid,
        code,
        signal,
        reason: failure?.message ?? null,
        restartDelay: again,
      });
      await sleep(again, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      worker = this.#start(place);
    }
  }

  #start(place: number): WorkerHandle {
    const worker = this.#options.start(place, this.#served, this.#listening.size > 0);
    this.#workers.add(worker);
    void worker.listening.then((served) => this.#listens(place, worker, served));
    return worker;
  }

  #listens(place: number, worker: WorkerHandle, served: ServedModel): void {
    const { count, onListening } = this.#options;
    this.#served ??= served;
    if (served.url !== this.#served.url) {
      // The last of the others ended before it came, and with it what it was to share.
      worker.stop('SIGTERM');
      return;
    }
    this.#listening.add(worker);
    if (this.#cameUp.has(place)) return;
    this.#cameUp.add(place);
    if (this.#cameUp.size === count && !this.#ending.signal.aborted) onListening(served.url);
  }

  /** Whether a worker that ended was to end. One that did not end well then says so by the exit code. */
  #isOver(worker: WorkerHandle, { code, signal }: WorkerExit): boolean {
    const { aborted } = this.#ending.signal;
    if (aborted && code !== 0 && !isStopSignal(signal) && !this.#killed.has(worker)) this.#exitCode = 1;
    return aborted;
  }

  #fail({ code, signal, failure }: WorkerExit): void {
    const told =
      failure ?? commandFailed(`A worker process ended before it listened (${signal ?? `exit code ${code}`}).`);
    this.#failure = new CommandError(told.exitCode, told.message);
    this.#end();
  }

  #end(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    for (const worker of this.#workers) worker.stop(signalOf(this.#options.signal));
    void this.#killLate();
  }

  /** Ends what has not ended in its time, as code does that never lets go of its thread. */
  async #killLate(): Promise<void> {
    const { sleep, observe } = this.#options;
    await sleep((this.#served?.shutdownTimeout ?? SHUTDOWN_TIMEOUT) + CLOSING, this.#ended.signal);
    for (const worker of this.#workers) {
      observe({ kind: 'worker-killed', pid: worker.pid });
      this.#killed.add(worker);
      worker.kill();
    }
  }
}
