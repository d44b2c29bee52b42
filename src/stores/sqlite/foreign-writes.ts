import { turnOfEventLoop } from '../../platform/clock.ts';
import type { Connection } from './driver.ts';

/**
 * Notices that another process has changed the database. It asks once for each turn of the event loop in which rows are looked for in
 * memory: a request that came after a write elsewhere was answered is of a later turn, and sees it.
 */
export class ForeignWrites {
  readonly #writer: Connection;
  readonly #noticed: () => void;
  #version: unknown;
  /** The turn in which it asked last; null where it must ask again. */
  #asked: number | null = null;

  /** @param writer the connection that writes: SQLite tells a connection of the commits of all others alone */
  constructor(writer: Connection, noticed: () => void) {
    this.#writer = writer;
    this.#noticed = noticed;
    this.#version = this.#ask();
  }

  /** Call it before what was read earlier is taken for what the database holds. */
  look(): void {
    const turn = turnOfEventLoop();
    if (turn === this.#asked) return;
    this.#asked = turn;
    const version = this.#ask();
    if (version === this.#version) return;
    this.#version = version;
    this.#noticed();
  }

  /** The next look asks, in the same turn too: rows were read, and may be newer than the last answer. */
  lookAgain(): void {
    this.#asked = null;
  }

  #ask(): unknown {
    return this.#writer.get('pragma data_version')?.['data_version'];
  }
}
