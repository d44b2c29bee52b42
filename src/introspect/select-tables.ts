import { closestMatch } from '../conventions/text/closest-match.ts';
import type { CatalogueEntry } from './database.ts';

/** The tables that a person names, by patterns with `*` and `?`. */
export interface TableSelection {
  /** Patterns of the tables that are used; empty for all tables. */
  readonly tables: readonly string[];
  /** Patterns of the tables that are left out. */
  readonly exclude: readonly string[];
}

/** A pattern matches no table of the database. The message has the nearest name. */
export class UnknownTable extends Error {
  override readonly name = 'UnknownTable';
  /** The part of the selection with the pattern. */
  readonly part: keyof TableSelection;

  constructor(part: keyof TableSelection, message: string) {
    super(message);
    this.part = part;
  }
}

/**
 * Selects tables and views by name. Case is ignored, as SQL does.
 *
 * @throws {UnknownTable} for a pattern that matches none of them
 */
export function selectTables(
  entries: readonly CatalogueEntry[],
  { tables, exclude }: TableSelection,
): readonly CatalogueEntry[] {
  const named = matchPatterns(entries, 'tables', tables);
  const excluded = matchPatterns(entries, 'exclude', exclude);
  return entries.filter((entry) => (tables.length === 0 || named.has(entry)) && !excluded.has(entry));
}

function matchPatterns(
  entries: readonly CatalogueEntry[],
  part: keyof TableSelection,
  patterns: readonly string[],
): ReadonlySet<CatalogueEntry> {
  return new Set(
    patterns.flatMap((pattern) => {
      const expression = compilePattern(pattern);
      const found = entries.filter(({ name }) => expression.test(name));
      if (found.length === 0) throw new UnknownTable(part, describeUnknown(pattern, entries));
      return found;
    }),
  );
}

function compilePattern(pattern: string): RegExp {
  const source = pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'isu');
}

function describeUnknown(pattern: string, entries: readonly CatalogueEntry[]): string {
  if (/[*?]/.test(pattern)) return `no table matches '${pattern}'.`;
  const names = entries.filter(({ closed }) => closed === null).map(({ name }) => name);
  const meant = closestMatch(pattern, names);
  return `there is no table '${pattern}'${meant === null ? '.' : `; did you mean '${meant}'?`}`;
}
