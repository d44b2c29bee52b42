import type { Socket } from 'node:net';
import { countedIteration } from '../platform/clock.ts';

/** Requests of one connection that are handled in a row before those of others. */
const MAX_ROW = 100;

/** The requests of one connection in this iteration of the event loop, and those that wait for a later one. */
interface PipelinedRequests {
  readonly socket: Socket;
  iteration: number;
  handled: number;
  readonly waiting: (() => void)[];
}

/**
 * Divides pipelined requests into slices (LIM-1). One packet holds more than a thousand of them, which the parser
 * passes on one after another. After {@link MAX_ROW} of them the event loop first reads what others have sent. Each
 * iteration handles one slice of one connection. Requests of one connection stay in order.
 */
export class ConnectionTurns {
  readonly #iteration: () => number;
  readonly #rows = new WeakMap<Socket, PipelinedRequests>();
  /** The connections with waiting requests, in the order of their slices. */
  readonly #queue: PipelinedRequests[] = [];

  /** @param iteration returns a number that differs for each event-loop iteration */
  constructor(iteration = countedIteration()) {
    this.#iteration = iteration;
  }

  /** Handles a request of a connection, now or in a later iteration. It is dropped if that is closed by then. */
  take(socket: Socket, handle: () => void): void {
    const row = this.#findRow(socket);
    const iteration = this.#iteration();
    if (row.iteration !== iteration) {
      row.iteration = iteration;
      row.handled = 0;
    }
    if (row.waiting.length === 0 && row.handled < MAX_ROW) {
      row.handled += 1;
      handle();
      return;
    }
    if (row.waiting.length === 0) this.#enqueue(row);
    row.waiting.push(handle);
  }

  #findRow(socket: Socket): PipelinedRequests {
    const known = this.#rows.get(socket);
    if (known !== undefined) return known;
    const row = { socket, iteration: Number.NaN, handled: 0, waiting: [] };
    this.#rows.set(socket, row);
    return row;
  }

  /** Stops reading the connection until its requests are handled, so that no more of them wait than one packet has. */
  #enqueue(row: PipelinedRequests): void {
    row.socket.pause();
    this.#queue.push(row);
    // The first immediate runs before the event loop polls, the second one after it.
    if (this.#queue.length === 1) setImmediate(() => setImmediate(this.#next));
  }

  readonly #next = (): void => {
    const row = this.#queue.shift();
    if (row === undefined) return;
    const turn = row.socket.destroyed ? [] : row.waiting.splice(0, MAX_ROW);
    if (turn.length === 0) row.waiting.length = 0;
    for (const handle of turn) handle();
    if (row.waiting.length > 0) this.#queue.push(row);
    else row.socket.resume();
    if (this.#queue.length > 0) setImmediate(this.#next);
  };
}
