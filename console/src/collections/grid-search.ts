import { type ApiCollection, type ApiField, type FilterOperator, OPERATORS } from '../schema/api-schema.ts';

/** The texts in the URL of a grid: `sort=title&columns=title,status&price[gte]=5`. */
export type GridSearch = Readonly<Record<string, string>>;

/** One filter in the URL. */
export interface GridFilter {
  /** The name in the URL: `price[gte]`. */
  readonly name: string;
  readonly path: string;
  readonly operator: FilterOperator;
  readonly value: string;
}

/** The columns before any are chosen. */
const FIRST_COLUMNS = 6;

/** The chosen columns in the order of the model; those of the first fields if none are chosen. */
export function chosenColumns({ fields }: ApiCollection, search: GridSearch): readonly ApiField[] {
  const shown = fields.filter(({ writeOnly, shownOnce }) => !writeOnly && !shownOnce);
  const names = search['columns']?.split(',');
  if (names !== undefined) return shown.filter(({ name }) => names.includes(name));
  return shown.filter(({ system }) => !system).slice(0, FIRST_COLUMNS);
}

/** The filters of a URL that the collection has. */
export function readGridFilters({ filters }: ApiCollection, search: GridSearch): readonly GridFilter[] {
  return Object.entries(search).flatMap(([name, value]) => {
    const [, path, operator] = /^(.+)\[([a-z_]+)\]$/.exec(name) ?? [];
    const known = OPERATORS.find((each) => each === operator);
    const filter = filters.find((each) => each.path === path);
    return filter === undefined || known === undefined ? [] : [{ name, path: filter.path, operator: known, value }];
  });
}

/** The filters as the client sends them: operators by path. */
export function clientFilter(filters: readonly GridFilter[]): Readonly<Record<string, Record<string, unknown>>> {
  return Object.fromEntries(
    [...Map.groupBy(filters, ({ path }) => path)].map(([path, found]) => [
      path,
      Object.fromEntries(found.map(({ operator, value }) => [operator, isList(operator) ? value.split(',') : value])),
    ]),
  );
}

function isList(operator: FilterOperator): boolean {
  return operator === 'in' || operator === 'nin';
}

/** The next sort of a column: ascending, descending, none. */
export function nextSort(current: string | undefined, path: string): string | undefined {
  if (current === path) return `-${path}`;
  return current === `-${path}` ? undefined : path;
}
