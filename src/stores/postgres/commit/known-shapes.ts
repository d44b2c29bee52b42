import type { BlockShapes } from '../../sql/events/append-event.ts';

/**
 * The shapes of events that are stored and noted for the last block of each slot, so that they are not sent again. They
 * stay until a part of the log is removed, which happens while no other transaction writes.
 */
export class KnownShapes {
  readonly #slots = new Map<number, BlockShapes>();
  #removed: number | null = null;

  /** The shapes that are known for a slot. @param removed the sequence up to which the log was removed */
  of(slot: number, removed: number): BlockShapes | undefined {
    if (removed !== this.#removed) this.clear();
    this.#removed = removed;
    return this.#slots.get(slot);
  }

  /** Adds those of a transaction that was committed. */
  add(slot: number, shapes: BlockShapes, removed: number): void {
    if (removed === this.#removed) this.#slots.set(slot, shapes);
  }

  /** Removes all: a transaction has failed, whose database may have been restored. */
  clear(): void {
    this.#slots.clear();
  }
}
