import type { Link } from '../conventions/links.ts';
import { httpDate } from '../conventions/preconditions.ts';
import type { Row } from '../plan/plan.ts';
import { oncePer } from '../platform/once-per.ts';
import { Recurring } from '../platform/recurring.ts';

/** A page as it is told: its text, and what goes beside it. */
export interface ToldPage {
  readonly text: string;
  readonly links: readonly Link[];
  /** Header fields, names and values in turn. */
  readonly facts: readonly string[];
}

/** Characters of told pages that are kept in each of two generations. */
const KEPT_PAGES = 4_194_304;
/** About as many pages as there is room for. */
const PAGES = 1_024;

/** Pages by their tags, which tell what they are made of: as long as a tag is made, its page is the one (CACHE-2). */
export type ToldPages = Recurring<ToldPage>;

export function toldPages(): ToldPages {
  return new Recurring({ bound: KEPT_PAGES, weigh: ({ text }) => text.length, keys: PAGES });
}

/** When a row was changed. */
export interface Modified {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As `Last-Modified` says it. */
  readonly date: string;
}

/** Forms in which one row is kept told; beyond them it is told anew each time. */
const MAX_FORMS = 4;

/**
 * What was told of rows, kept beside each as long as the row is: a store gives the same row again while it is the same, and lets go of it
 * when it is not. A row that is no store's to give again is told each time.
 */
export class ToldItems {
  readonly #told = new WeakMap<Row, Map<string, string>>();
  readonly #modified = oncePer(modifiedOf);

  /** Whether what is told of a row is kept: a store gives it again. */
  keeps(row: Row): boolean {
    return Object.isFrozen(row);
  }

  /**
   * @param form names everything that the text depends on beside the row
   * @param tell makes the text
   */
  text(row: Row, form: string, tell: () => string): string {
    if (!this.keeps(row)) return tell();
    const forms = this.#told.get(row) ?? new Map<string, string>();
    const known = forms.get(form);
    if (known !== undefined) return known;
    const text = tell();
    if (forms.size < MAX_FORMS) this.#told.set(row, forms.set(form, text));
    return text;
  }

  modified(row: Row): Modified {
    return this.keeps(row) ? this.#modified(row) : modifiedOf(row);
  }
}

function modifiedOf({ updated_at }: Row): Modified {
  const at = Date.parse(updated_at);
  return { at, date: httpDate(at) };
}
