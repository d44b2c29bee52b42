import type { Connection } from './driver.ts';

/**
 * Notices that another process has changed the database. It asks once for each turn of the event loop in which rows are read, so that a
 * write elsewhere is seen one turn later at most.
 */
export class ForeignWrites {
  readonly #writer: Connection;
  readonly #noticed: () => void;
  #version: unknown;
  #asked = false;

  /** @param writer the connection that writes: SQLite tells a connection of the commits of all others alone */
  constructor(writer: Connection, noticed: () => void) {
    this.#writer = writer;
    this.#noticed = noticed;
    this.#version = this.#ask();
  }

  /** Call it before what was read earlier is taken for what the database holds. */
  look(): void {
    if (this.#asked) return;
    this.#asked = true;
    setImmediate(() => {
      this.#asked = false;
    });
    const version = this.#ask();
    if (version === this.#version) return;
    this.#version = version;
    this.#noticed();
  }

  #ask(): unknown {
    return this.#writer.get('pragma data_version')?.['data_version'];
  }
}
