import { httpDate } from '../conventions/preconditions.ts';
import type { Row } from '../plan/plan.ts';
import { ByParts } from '../platform/by-parts.ts';
import { type KeptText, KeptTexts, type TextKey, textKey } from '../platform/kept-texts.ts';
import { SeenLately } from '../platform/seen-lately.ts';

/** Bytes of told rows that are kept: of 400 characters each, as many as 35,000. */
const KEPT_ITEMS = 16_777_216;
/** About as many items as there is room for, a power of two. */
const ITEMS = 32_768;
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
export interface ToldItem extends Modified {
  readonly revision: number;
  readonly text: string;
}

/** Of what an item is told, and how. */
export interface Telling {
  readonly resource: string;
  readonly id: string;
  /** Names everything that the text depends on beside the row. */
  readonly form: string;
  /** What the store said of the row before it was read. */
  readonly change: number;
}

/** Rows as they were told, for as long as their store says that they have not changed (CACHE-1). */
export class ToldItems {
  readonly #texts = new KeptTexts(KEPT_ITEMS);
  readonly #seen = new SeenLately(ITEMS);
  #families = 0;
  readonly #family = new ByParts(MOST_FAMILIES, () => ++this.#families);

  of({ resource, id, form, change }: Telling): ToldBefore {
    return new ToldBefore(this.#texts, this.#seen, textKey(id, this.#family.of([resource, form])), change);
  }
}

/** What is known of one telling. */
export class ToldBefore {
  readonly #texts: KeptTexts;
  readonly #seen: SeenLately;
  readonly #key: TextKey;
  readonly #change: number;

  constructor(texts: KeptTexts, seen: SeenLately, key: TextKey, change: number) {
    this.#texts = texts;
    this.#seen = seen;
    this.#key = key;
    this.#change = change;
  }

  /** @returns what is good until another item is looked for; null where it is not known */
  find(): ToldItem | null {
    const kept = this.#texts.find(this.#key);
    return kept?.beside(0) === this.#change ? new KeptItem(kept) : null;
  }

  /** Keeps an item that comes again: most are asked for once, and would drive out those that are not. */
  offer(item: ToldItem): void {
    if (!this.#seen.again(this.#key.hash)) return;
    this.#texts.keep(this.#key, [this.#change, item.revision, item.at], item.text);
  }
}

class KeptItem implements ToldItem {
  readonly revision: number;
  readonly at: number;
  readonly #kept: KeptText;

  constructor(kept: KeptText) {
    this.revision = kept.beside(1);
    this.at = kept.beside(2);
    this.#kept = kept;
  }

  get date(): string {
    return httpDate(this.at);
  }

  get text(): string {
    return this.#kept.text;
  }
}

/** A row that was read just now; it is told when its text is asked for. */
export class FreshItem implements ToldItem {
  readonly revision: number;
  readonly at: number;
  readonly #tell: () => string;
  #text: string | null = null;

  constructor({ revision, updated_at: updated }: Row, tell: () => string) {
    this.revision = revision;
    this.at = Date.parse(updated);
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
