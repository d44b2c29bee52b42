import { httpDate } from '../../conventions/http-date.ts';
import { ByParts } from '../../cache/by-parts.ts';
import { RingBufferCache, type TextKey, textKey } from '../../cache/ring-buffer-cache.ts';
import { AdmissionFilter } from '../../cache/admission-filter.ts';

/** Bytes of told rows that are kept: of 400 characters each, as many as 70,000. */
const KEPT_ITEMS = 33_554_432;
/** About as many items as there is room for, a power of two. */
const ITEMS = 65_536;
/** Of more resources and forms than these all are told anew. */
const MOST_FAMILIES = 4_096;

/** When something was changed. */
export interface Modified {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As `Last-Modified` says it. */
  readonly date: string;
}

/** One row as it is told in some form. */
export class CachedItem implements Modified {
  readonly revision: number;
  readonly at: number;
  readonly #tell: () => string;
  #text: string | null = null;

  /** @param at milliseconds since the epoch @param tell makes the text, once, when it is asked for */
  constructor(revision: number, at: number, tell: () => string) {
    this.revision = revision;
    this.at = at;
    this.#tell = tell;
  }

  get date(): string {
    return httpDate(this.at);
  }

  get text(): string {
    this.#text ??= this.#tell();
    return this.#text;
  }
}

/** A row as it stands, told in one form. */
export interface ItemState {
  readonly resource: string;
  readonly id: string;
  /** Names everything that the text depends on beside the row. */
  readonly form: string;
  /** What the store said of the row before it was read. */
  readonly change: number;
}

/** Rows as they were told, for as long as their store says that they have not changed (CACHE-1). */
export class ItemCache {
  readonly #texts = new RingBufferCache(KEPT_ITEMS);
  readonly #seen = new AdmissionFilter(ITEMS);
  #families = 0;
  readonly #family = new ByParts(MOST_FAMILIES, () => ++this.#families);

  /** Lets go of all of them; no item that was found is good any more. */
  clear(): void {
    this.#texts.clear();
  }

  of({ resource, id, form, change }: ItemState): ItemSlot {
    return new ItemSlot(this.#texts, this.#seen, textKey(id, this.#family.of([resource, form])), change);
  }
}

/** What was told of a row in one form and as it stands. */
export class ItemSlot {
  readonly #texts: RingBufferCache;
  readonly #seen: AdmissionFilter;
  readonly #key: TextKey;
  readonly #change: number;

  constructor(texts: RingBufferCache, seen: AdmissionFilter, key: TextKey, change: number) {
    this.#texts = texts;
    this.#seen = seen;
    this.#key = key;
    this.#change = change;
  }

  /** @returns what is good until another item is looked for; null where it is not known */
  get(): CachedItem | null {
    const kept = this.#texts.get(this.#key);
    if (kept?.beside(0) !== this.#change) return null;
    return new CachedItem(kept.beside(1), kept.beside(2), () => kept.text);
  }

  /** Keeps an item that comes again: most are asked for once, and would drive out those that are not. */
  set(item: CachedItem): void {
    if (!this.#seen.admits(this.#key.hash)) return;
    this.#texts.set(this.#key, [this.#change, item.revision, item.at], item.text);
  }
}
