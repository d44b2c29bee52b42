import { closestMatch } from '../conventions/text/closest-match.ts';
import { type CatalogueEntry, unqualifiedName } from './database.ts';

/** The tables that a person names, by patterns with `*` and `?`. */
export interface TableSelection {
  /** Patterns of the schemas whose tables are used; empty for the default schema. */
  readonly schema: readonly string[];
  /** Patterns of the tables that are used; empty for all tables. */
  readonly tables: readonly string[];
  /** Patterns of the tables that are left out. */
  readonly exclude: readonly string[];
}

const WILDCARD = /[*?]/;

/** A pattern matches no table or schema of the database. The message has the nearest name. */
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
 * Selects the tables and views of schemas. Those of the system must be named without a wildcard.
 *
 * @param defaultSchema that is used without patterns
 * @throws {UnknownTable} for a pattern that matches none of the schemas
 */
export function selectSchemas(
  entries: readonly CatalogueEntry[],
  patterns: TableSelection['schema'],
  defaultSchema: string | null,
): readonly CatalogueEntry[] {
  if (patterns.length === 0) return entries.filter(({ schema }) => schema === defaultSchema);
  const named = listSchemas(entries);
  const matched = listSchemas(entries.filter(({ closed }) => closed !== 'system'));
  const selected = new Set(
    patterns.flatMap((pattern) => {
      const expression = compilePattern(pattern);
      const found = (WILDCARD.test(pattern) ? matched : named).filter((name) => expression.test(name));
      if (found.length === 0) throw new UnknownTable('schema', describeUnknown('schema', pattern, matched));
      return found;
    }),
  );
  return entries.filter(({ schema }) => schema !== null && selected.has(schema));
}

/** The schemas of tables, each once. */
export function listSchemas(entries: readonly CatalogueEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ schema }) => schema ?? []))];
}

/**
 * Selects tables and views by name, with or without that of the schema. Case is ignored, as SQL does.
 *
 * @throws {UnknownTable} for a pattern that matches none of them
 */
export function selectTables(
  entries: readonly CatalogueEntry[],
  { tables, exclude }: Pick<TableSelection, 'tables' | 'exclude'>,
): readonly CatalogueEntry[] {
  const named = matchPatterns(entries, 'tables', tables);
  const excluded = matchPatterns(entries, 'exclude', exclude);
  return entries.filter((entry) => (tables.length === 0 || named.has(entry)) && !excluded.has(entry));
}

function matchPatterns(
  entries: readonly CatalogueEntry[],
  part: 'tables' | 'exclude',
  patterns: readonly string[],
): ReadonlySet<CatalogueEntry> {
  return new Set(
    patterns.flatMap((pattern) => {
      const expression = compilePattern(pattern);
      const found = entries.filter((entry) => listTableNames(entry).some((name) => expression.test(name)));
      if (found.length === 0) {
        const names = entries.filter(({ closed }) => closed === null).flatMap(listTableNames);
        throw new UnknownTable(part, describeUnknown('table', pattern, names));
      }
      return found;
    }),
  );
}

/** The names by which a table can be selected. */
function listTableNames(entry: CatalogueEntry): readonly string[] {
  return entry.schema === null ? [entry.name] : [unqualifiedName(entry), entry.name];
}

function compilePattern(pattern: string): RegExp {
  const source = pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'isu');
}

function describeUnknown(noun: 'table' | 'schema', pattern: string, names: readonly string[]): string {
  if (WILDCARD.test(pattern)) return `no ${noun} matches '${pattern}'.`;
  const meant = closestMatch(pattern, names);
  return `there is no ${noun} '${pattern}'${meant === null ? '.' : `; did you mean '${meant}'?`}`;
}
