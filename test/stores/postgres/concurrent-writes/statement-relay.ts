import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { type Message, MessageReader, readErrorCode, readTexts, replaceText } from './message-reader.ts';

/** Changes the text of statements: a fault that a test plants into the product. */
export type Rewrite = (text: string) => string;

/** A statement that is not sent yet, with all that its session sends after it. */
export interface Held {
  /** Resolves once the statement arrives, and those before it on its session are answered. */
  readonly reached: Promise<void>;
  /** Sends it. */
  readonly release: () => void;
}

/** The fate of the next statement with a text: its session waits, or is cut before or after it. */
interface Trap {
  readonly text: string | RegExp;
  readonly how: 'hold' | 'cut before' | 'cut after';
  readonly reached: () => void;
  readonly released: Promise<void>;
}

/** A relay in front of PostgreSQL that knows which statement a session runs. */
export class StatementRelay {
  /** Applies to statements that a session sends for the first time. */
  rewrite: Rewrite = (text) => text;
  /** The codes of all errors that the server reported. */
  readonly errors: string[] = [];
  /** The ids of the processes of the server that have answered. */
  readonly processes = new Set<number>();
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #traps: Trap[] = [];
  readonly #releases: (() => void)[] = [];

  private constructor(target: NetConnectOpts) {
    this.#server = createServer((client) => this.#accept(client, connect(target)));
  }

  static async start(target: NetConnectOpts): Promise<StatementRelay> {
    const relay = new StatementRelay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Holds the next statement whose text contains another one, or matches. */
  hold(text: string | RegExp): Held {
    return this.#trap(text, 'hold');
  }

  /** Closes the session of the next such statement, before it is sent. Resolves then. */
  cutBefore(text: string | RegExp): Promise<void> {
    return this.#trap(text, 'cut before').reached;
  }

  /** Closes the session of the next such statement once it is answered, and loses the answer. Resolves then. */
  cutAfter(text: string | RegExp): Promise<void> {
    return this.#trap(text, 'cut after').reached;
  }

  /** Sends all that is held, and holds nothing more. */
  releaseAll(): void {
    this.#traps.splice(0);
    for (const release of this.#releases) release();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #trap(text: string | RegExp, how: Trap['how']): Held {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#releases.push(released.resolve);
    this.#traps.push({ text, how, reached: reached.resolve, released: released.promise });
    return { reached: reached.promise, release: released.resolve };
  }

  #accept(client: Socket, server: Socket): void {
    const end = (): void => {
      for (const socket of [client, server]) {
        socket.destroy();
        this.#open.delete(socket);
      }
    };
    for (const socket of [client, server]) {
      this.#open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', end);
    }
    const session = new RelayedSession({ client, server, end });
    const requests = new MessageReader(true);
    let before = Promise.resolve();
    client.on('data', (chunk: Buffer) => {
      const messages = requests.read(chunk);
      before = before.then(() => this.#forward(session, messages));
    });
    const answers = new MessageReader(false);
    server.on('data', (chunk: Buffer) => {
      for (const message of answers.read(chunk)) {
        if (message.type === 'E') this.errors.push(readErrorCode(message));
        if (message.type === 'K') this.processes.add(message.body.readInt32BE(0));
        session.answer(message);
      }
    });
  }

  async #forward(session: RelayedSession, messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      const text = session.statement(message);
      const trap = text === null ? undefined : this.#take(text);
      if (trap?.how === 'cut before') {
        trap.reached();
        return session.end();
      }
      if (trap?.how === 'cut after') session.loseCommit(trap.reached);
      if (trap?.how === 'hold') {
        await session.answered();
        trap.reached();
        await trap.released;
      }
      session.send(message, this.rewrite);
    }
  }

  #take(text: string): Trap | undefined {
    const at = this.#traps.findIndex((trap) => matches(text, trap.text));
    return at === -1 ? undefined : this.#traps.splice(at, 1)[0];
  }
}

/** Messages of clients after which the server says that it is ready: the first one, a query, and the end of others. */
const ANSWERED: ReadonlySet<string> = new Set(['', 'Q', 'S']);

/** A session through a relay. */
class RelayedSession {
  readonly end: () => void;
  readonly #client: Socket;
  readonly #server: Socket;
  /** The texts of prepared statements by their names. */
  readonly #prepared = new Map<string, string>();
  #lost: (() => void) | null = null;
  /** The number of messages that the server is not ready after yet. */
  #unanswered = 0;
  #ready: (() => void) | null = null;

  constructor({ client, server, end }: { readonly client: Socket; readonly server: Socket; readonly end: () => void }) {
    this.#client = client;
    this.#server = server;
    this.end = end;
  }

  /** The text of the statement that a message runs; null for another message. */
  statement({ type, body }: Message): string | null {
    if (type === 'Q') return readTexts(body, 1)[0] ?? null;
    if (type === 'B') return this.#prepared.get(readTexts(body, 2)[1] ?? '') ?? null;
    if (type !== 'P') return null;
    const [name = '', text = ''] = readTexts(body, 2);
    this.#prepared.set(name, text);
    return null;
  }

  send(message: Message, rewrite: Rewrite): void {
    if (this.#server.destroyed) return;
    if (ANSWERED.has(message.type)) this.#unanswered += 1;
    const [, text = ''] = message.type === 'P' ? readTexts(message.body, 2) : [];
    const rewritten = rewrite(text);
    this.#server.write(rewritten === text ? message.bytes : replaceText(message, `${text}\0`, `${rewritten}\0`));
  }

  /** Resolves once the server has answered all that was sent. */
  answered(): Promise<void> {
    if (this.#unanswered === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ready = resolve;
    return promise;
  }

  /** Closes the session in place of the answer to its commit. */
  loseCommit(lost: () => void): void {
    this.#lost = lost;
  }

  answer({ type, bytes, body }: Message): void {
    if (this.#lost !== null && type === 'C' && body.includes('COMMIT')) {
      this.#lost();
      return this.end();
    }
    if (!this.#client.destroyed) this.#client.write(bytes);
    if (type === 'Z') this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#ready?.();
  }
}

function matches(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
