import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Which way bytes go: from the client to the server, or back. */
export type Direction = 'request' | 'answer';

interface Cut {
  readonly direction: Direction;
  readonly text: string;
  /** True if the connection stays open, without the bytes from the text on. */
  readonly isHeld: boolean;
  readonly done: () => void;
}

/** A relay in front of a server: what it does to connections is what networks do. */
export class TcpRelay {
  /** The target of new connections; null to refuse them. */
  target: NetConnectOpts | null;
  /** Milliseconds that bytes of answers wait. */
  delay = 0;
  /** True if bytes are lost, with no connection closed. */
  isSilent = false;
  /** Connections that were accepted. */
  accepted = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #cut: Cut | null = null;

  private constructor(target: NetConnectOpts) {
    this.target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(target: NetConnectOpts): Promise<TcpRelay> {
    const relay = new TcpRelay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Closes the connection whose next bytes in a direction contain a text, and loses these bytes. Resolves then. */
  cutAt(direction: Direction, text: string): Promise<void> {
    return this.#cutOnce({ direction, text, isHeld: false });
  }

  /** Loses the bytes of a connection in a direction from a text on, and leaves it open. Resolves then. */
  holdAt(direction: Direction, text: string): Promise<void> {
    return this.#cutOnce({ direction, text, isHeld: true });
  }

  /** Closes all connections. */
  cutAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #cutOnce(cut: Omit<Cut, 'done'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#cut = { ...cut, done: resolve };
    return promise;
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    if (this.target === null) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.target);
    const end = (): void => {
      client.destroy();
      server.destroy();
      this.#open.delete(client);
      this.#open.delete(server);
    };
    for (const socket of [client, server]) {
      this.#open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', end);
    }
    this.#forward(client, server, 'request');
    this.#forward(server, client, 'answer');
  }

  #forward(from: Socket, to: Socket, direction: Direction): void {
    let before: Promise<unknown> = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      if (this.#cut?.direction === direction && chunk.includes(this.#cut.text)) {
        const { done, isHeld, text } = this.#cut;
        this.#cut = null;
        if (isHeld) {
          from.pause();
          void this.#send(to, chunk.subarray(0, chunk.indexOf(text)), before, 0);
        } else from.destroy();
        done();
        return;
      }
      const until = performance.now() + (direction === 'answer' ? this.delay : 0);
      before = this.#send(to, chunk, before, until);
    });
  }

  /** Sends bytes after those before them, and not before a time. */
  async #send(to: Socket, chunk: Buffer, before: Promise<unknown>, until: number): Promise<void> {
    await before;
    const left = until - performance.now();
    if (left > 0) await setTimeout(left);
    if (!this.isSilent && !to.destroyed) to.write(chunk);
  }
}
