import type { Link } from '../conventions/links.ts';
import { httpDate } from '../conventions/preconditions.ts';
import type { Row } from '../plan/plan.ts';
import { Recurring } from '../platform/recurring.ts';

/** A page as it is told: its text, and what goes beside it. */
export interface ToldPage {
  readonly text: string;
  readonly links: readonly Link[];
  /** Header fields, names and values in turn. */
  readonly facts: readonly string[];
}

/** Characters of told pages that are kept in each of two generations, of texts and of all that goes beside them. */
const KEPT_PAGES = 4_194_304;
/** What a page takes beside its characters, as many of them: one without items may have no text. */
const KEEPING = 400;
/** About as many pages as there is room for. */
const PAGES = 1_024;

/** Pages by their tags, which tell what they are made of: as long as a tag is made, its page is the one (CACHE-2). */
export type ToldPages = Recurring<ToldPage>;

export function toldPages(): ToldPages {
  return new Recurring({ bound: KEPT_PAGES, weigh: weighPage, keys: PAGES });
}

function weighPage({ text, links, facts }: ToldPage, tag: string): number {
  const beside = [...links.map(({ href }) => href), ...facts];
  return beside.reduce((sum, { length }) => sum + length, KEEPING + tag.length + text.length);
}

/** When something was changed. */
export interface Modified {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As `Last-Modified` says it. */
  readonly date: string;
}

/** Forms in which one row is kept told; beyond them it is told anew each time. */
const MAX_FORMS = 4;
const NO_TEXTS: readonly string[] = [];

/** What was told of one row. It is looked up for each answer, so it is in one piece: each object more would have to be fetched too. */
export class ToldItem implements Modified {
  readonly #row: Row;
  #at: number | null = null;
  #date: string | null = null;
  /** Forms and the texts that they have, in turn; most rows are told in one. */
  #texts: readonly string[] = NO_TEXTS;

  constructor(row: Row) {
    this.#row = row;
  }

  get at(): number {
    this.#at ??= Date.parse(this.#row.updated_at);
    return this.#at;
  }

  get date(): string {
    this.#date ??= httpDate(this.at);
    return this.#date;
  }

  /**
   * @param form names everything that the text depends on beside the row
   * @param tell makes the text
   */
  text(form: string, tell: () => string): string {
    for (let at = 0; at < this.#texts.length; at += 2) {
      if (this.#texts[at] === form) return this.#texts[at + 1] ?? '';
    }
    const text = tell();
    if (this.#texts.length < 2 * MAX_FORMS) this.#texts = this.#texts.concat(form, text);
    return text;
  }
}

/**
 * What was told of rows, kept beside each as long as the row is: a store gives the same row again while it is the same, and lets go of it
 * when it is not. A row that is no store's to give again is told each time.
 */
export class ToldItems {
  readonly #told = new WeakMap<Row, ToldItem>();

  /** Whether what is told of a row is kept: a store gives it again. */
  keeps(row: Row): boolean {
    return Object.isFrozen(row);
  }

  /** The same one as long as the row is kept; another each time for one that is not. */
  of(row: Row): ToldItem {
    if (!this.keeps(row)) return new ToldItem(row);
    const known = this.#told.get(row);
    if (known !== undefined) return known;
    const told = new ToldItem(row);
    this.#told.set(row, told);
    return told;
  }
}
