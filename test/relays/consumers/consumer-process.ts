import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { type ServerProcess, startProcess } from '../../cli/server-process.ts';
import { programFile, skipWithout, skipWithoutFile } from '../../installed-programs.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const examples = path.join(root, 'examples', 'consumers');
const installed = path.join(root, '.cache', 'consumers');
const python = path.join(installed, 'python', 'bin', 'python');

/** Milliseconds in which a consumer handles everything, with the time after which NATS delivers a message again. */
const TIMEOUT = 60_000;

export const BROKERS = ['nats', 'redis', 'rabbitmq', 'kafka'] as const;
export type ConsumedBroker = (typeof BROKERS)[number];

export const LANGUAGES = ['node', 'python', 'go'] as const;
export type ConsumerLanguage = (typeof LANGUAGES)[number];

/** The reason why the consumers cannot run here; false if they can. */
export function skipWithoutConsumers(): string | false {
  return (
    skipWithout('go') ||
    skipWithoutFile(path.join(installed, 'python', 'requirements.txt'), 'the clients of brokers in Python are') ||
    skipWithoutFile(path.join(installed, 'bin', 'kafka'), 'the clients of brokers in Go are')
  );
}

/** Builds the program of a broker in Go, without the network. */
export function buildGoConsumer(broker: ConsumedBroker): void {
  const env = {
    ...process.env,
    GOPROXY: 'off',
    PATH: `${process.env['PATH']}:${path.dirname(programFile('go') ?? '')}`,
  };
  execFileSync(path.join(import.meta.dirname, 'build-go.sh'), [`./${broker}`], { env, stdio: 'pipe' });
}

const COMMANDS: Readonly<Record<ConsumerLanguage, (broker: ConsumedBroker) => readonly string[]>> = {
  node: (broker) => [process.execPath, path.join(examples, broker, 'consumer.mjs')],
  python: (broker) => [python, path.join(examples, broker, 'consumer.py')],
  go: (broker) => [path.join(installed, 'bin', broker)],
};

/** The program and the settings of a consumer. */
export interface ConsumerOptions {
  readonly broker: ConsumedBroker;
  readonly language: ConsumerLanguage;
  /** Its name at the broker, and that of its file. */
  readonly name: string;
  /** The folder of its file. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A consumer that is killed, and started again. */
export class RunningConsumer {
  readonly name: string;
  readonly #options: ConsumerOptions;
  #process: ServerProcess;
  /** The output of processes that have ended. */
  #printed = '';

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.name = options.name;
    this.#process = this.#start();
  }

  /** The lines that it printed, from the first start on. */
  get printed(): readonly string[] {
    return `${this.#printed}${this.#process.stdout()}`.split('\n').slice(0, -1);
  }

  /** The lines of its file. */
  get handled(): readonly string[] {
    const file = path.join(this.#options.folder, `${this.name}.log`);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** Waits until it has printed a number of different lines. @throws {Error} if it ends before, or takes too long */
  async untilPrinted(count: number): Promise<void> {
    const { child, exited, stderr } = this.#process;
    const { promise, resolve } = Promise.withResolvers<'timeout'>();
    const timer = setTimeout(resolve, TIMEOUT, 'timeout');
    const isThere = (): boolean => new Set(this.printed).size >= count;
    while (!isThere()) {
      const data = new Promise<'data'>((next) => child.stdout?.once('data', () => next('data')));
      const end = await Promise.race([data, exited, promise]);
      if (end !== 'data' && !isThere())
        assert.fail(`${this.name}: ${end} after ${this.printed.length} of ${count} lines\n${stderr()}`);
    }
    clearTimeout(timer);
  }

  /** Waits until its file has the lines that it has printed: it prints a line before it writes it. */
  async untilWritten(): Promise<void> {
    const deadline = performance.now() + TIMEOUT;
    while (this.handled.length < new Set(this.printed).size) {
      assert.ok(performance.now() < deadline, `${this.name} writes no file`);
      await wait(20);
    }
  }

  /** Lets it do nothing, while the broker still sends to it. */
  freeze(): void {
    this.#process.child.kill('SIGSTOP');
  }

  /** Ends it without notice. */
  async kill(): Promise<void> {
    this.#process.child.kill('SIGKILL');
    await this.#process.exited;
  }

  /** Starts it again after {@link kill}. */
  restart(): void {
    this.#printed += this.#process.stdout();
    this.#process = this.#start();
  }

  #start(): ServerProcess {
    const { broker, language, folder, env, name } = this.#options;
    return startProcess(folder, COMMANDS[language](broker), { ...env, CONSUMER: name });
  }
}
