import type { Observe } from '../observe/observation.ts';
import type { EventSource } from '../plan/change-event.ts';
import type { Context } from '../model/hooks.ts';
import type { Resources, Store } from '../stores/store.ts';
import type { CompiledModel } from './compiled.ts';
import type { ToldItems, ToldPages } from './told-items.ts';
import type { Turns } from './turns.ts';

/** What the stages work with beside the request: made once, by the composition root. */
export interface Surroundings {
  readonly compiled: CompiledModel;
  readonly store: Store;
  /** The rows that are read: those of the store, or as a unit that is being put together would leave them. */
  readonly rows: Rows;
  /** Told of every commit that this process makes: there may be events to bring on. */
  readonly committed: () => void;
  /** What hooks get of the application. */
  readonly context: Context;
  /** Idempotency keys of the writes under way in this process. */
  readonly running: Set<string>;
  readonly events: EventSource;
  readonly turns: Turns;
  readonly variants: Variants;
  readonly told: ToldItems;
  readonly pages: ToldPages;
  /** Another one wherever cursors are sealed with another key: they are part of pages. */
  readonly cursorKey: string;
  /** The contract served, `1.4.2`. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A UUIDv7. */
  readonly uuid: () => string;
  readonly digest: (content: string | Uint8Array) => string;
  readonly observe: Observe;
}

/** Reading rows, without a word of writing. */
export type Rows = Pick<Resources, 'item' | 'list' | 'missingAncestor' | 'missingReferences'>;

/** Short names for what a representation depends on beside its row, remembered: there are few, and each request needs one. */
export class Variants {
  readonly #first: Part = { name: null, next: new Map() };
  readonly #digest: (text: string) => string;

  constructor(digest: (text: string) => string) {
    this.#digest = digest;
  }

  of(parts: readonly string[]): string {
    let at = this.#first;
    for (const part of parts) at = following(at, part);
    return (at.name ??= this.#digest(parts.join('\n')).slice(0, 8));
  }
}

/** What some first parts lead to. They are looked up one by one: to make one text of them takes several times as long. */
interface Part {
  /** Of the parts up to here; null until it is asked for. */
  name: string | null;
  readonly next: Map<string, Part>;
}

function following({ next }: Part, part: string): Part {
  const known = next.get(part);
  if (known !== undefined) return known;
  const made: Part = { name: null, next: new Map() };
  next.set(part, made);
  return made;
}
