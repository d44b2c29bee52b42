import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection, ApiField } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/notice.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { FilterBar } from './filter-bar.tsx';
import { chosenColumns, clientFilter, type GridSearch, nextSort, readGridFilters } from './grid-search.ts';
import { TransferMenu } from './transfer-menu.tsx';
import { useGridKeys } from './use-grid-keys.ts';
import { type RowWindow, useScrollWindow } from './use-scroll-window.ts';

const PAGE_SIZE = 50;
/** Pages in memory: those at the other end are dropped. */
const MAX_PAGES = 6;

/** The grid of a collection. */
export function CollectionView() {
  const { schema } = useConnection();
  const { name = '' } = useParams({ strict: false });
  const collection = schema.collections.get(name);
  if (collection === undefined) return <h1>{texts.noCollection(name)}</h1>;
  if (collection.parent !== null)
    return (
      <>
        <h1>{collection.title}</h1>
        <p>{texts.grid.nested(collection.parent.collection)}</p>
      </>
    );
  return <Grid key={name} collection={collection} />;
}

function Grid({ collection }: { readonly collection: ApiCollection }) {
  const search: GridSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (next: GridSearch): void =>
    void navigate({ to: '/collections/$name', params: { name: collection.name }, search: next });
  const { key, query, reset } = useRows(collection, search);
  const { data, error, isPending, hasNextPage, hasPreviousPage, isFetching, fetchNextPage, refetch } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const [selected, setSelected] = useState<SelectedRows>(new Map());
  const clear = (): void => setSelected(new Map());
  return (
    <>
      <div className="bar">
        <h1>{collection.title}</h1>
        {collection.methods.has('create') && (
          <Link className="button" to="/collections/$name/new" params={{ name: collection.name }} search={{}}>
            {texts.grid.create}
          </Link>
        )}
        <TransferMenu collection={collection} search={search} onImported={() => void refetch()} />
      </div>
      <FilterBar collection={collection} search={search} onChange={change} />
      <BulkBar collection={collection} rows={[...selected.values()]} onDone={clear} onClear={clear} />
      {error !== null && (
        <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={() => void refetch()} />
      )}
      {isPending && error === null && <Loading text={texts.loading} />}
      {data !== undefined && (
        <>
          <p className="hint" role="status">
            {rows.length === 0 ? texts.grid.none : texts.grid.loaded(rows.length, hasNextPage)}
          </p>
          {hasPreviousPage && <Button onClick={reset}>{texts.grid.earlier}</Button>}
          <Rows
            key={JSON.stringify(key)}
            collection={collection}
            positionKey={key}
            first={(data.pages[0]?.index ?? 0) * PAGE_SIZE}
            isAll={!hasNextPage}
            onFirst={hasPreviousPage ? reset : doNothing}
            rows={rows}
            onEarlier={hasPreviousPage && !isFetching ? () => void query.fetchPreviousPage() : null}
            onLater={hasNextPage && !isFetching ? () => void fetchNextPage() : null}
            search={search}
            onChange={change}
            selected={selected}
            onSelect={setSelected}
          />
        </>
      )}
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
          {texts.grid.more}
        </Button>
      )}
    </>
  );
}

function doNothing(): void {}

/** A page: its cursor, and the pages before it. */
interface PagePlace {
  readonly cursor: string | null;
  readonly index: number;
}

function useRows(collection: ApiCollection, search: GridSearch) {
  const { calls } = useConnection();
  const queries = useQueryClient();
  const { q, sort, columns: _columns, ...others } = search;
  const key = ['rows', collection.name, q, sort, others] as const;
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: FIRST_PAGE,
    maxPages: MAX_PAGES,
    queryFn: async ({ pageParam: { cursor, index }, signal }) => {
      const { data, page } = await calls.run(() =>
        calls.collection(collection).page({
          limit: PAGE_SIZE,
          filter: clientFilter(readGridFilters(collection, others)),
          signal,
          ...(q === undefined ? {} : { q }),
          ...(sort === undefined ? {} : { sort: [sort] }),
          ...(cursor === null ? {} : { after: cursor }),
        }),
      );
      return { data, page, index };
    },
    getNextPageParam: ({ page, index }) => findPage(page.next_cursor, index + 1),
    getPreviousPageParam: ({ page, index }) => findPage(page.prev_cursor, index - 1),
  });
  return { key, query, reset: () => void queries.resetQueries({ queryKey: key, exact: true }) };
}

const FIRST_PAGE: PagePlace = { cursor: null, index: 0 };

function findPage(cursor: string | null | undefined, index: number): PagePlace | null {
  return typeof cursor === 'string' ? { cursor, index: Math.max(0, index) } : null;
}

/** The selected rows by id. */
type SelectedRows = ReadonlyMap<string, Row>;

interface RowsProps extends RowWindow {
  readonly collection: ApiCollection;
  /** The key of the rows. */
  readonly positionKey: readonly unknown[];
  /** Rows before the loaded ones. */
  readonly first: number;
  /** True if no row follows. */
  readonly isAll: boolean;
  /** Reads the first rows again, if they are not loaded. */
  readonly onFirst: () => void;
  readonly search: GridSearch;
  readonly onChange: (search: GridSearch) => void;
  readonly selected: SelectedRows;
  readonly onSelect: (selected: SelectedRows) => void;
}

function Rows({ collection, search, onChange, selected, onSelect, ...rest }: RowsProps) {
  const { rows, first } = rest;
  const frame = useRef<HTMLElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const onScroll = useScrollWindow(frame, rest, rest.positionKey);
  const keys = useGridKeys(table, rest.onFirst);
  const columns = chosenColumns(collection, search);
  const sortBy = (path: string): void => {
    const { sort, ...others } = search;
    const next = nextSort(sort, path);
    onChange(next === undefined ? others : { ...others, sort: next });
  };
  return (
    <section ref={frame} className="scroller grid-frame" onScroll={onScroll}>
      <table
        ref={table}
        className="grid"
        role="grid"
        aria-label={texts.grid.rows(collection.title)}
        aria-rowcount={rest.isAll ? first + rows.length + 1 : -1}
        {...keys}
      >
        <thead>
          <tr>
            <td>
              <input
                type="checkbox"
                aria-label={texts.bulk.selectAll}
                checked={rows.length > 0 && rows.every(({ id }) => selected.has(id))}
                onChange={({ currentTarget }) =>
                  onSelect(new Map(currentTarget.checked ? rows.map((row) => [row.id, row]) : []))
                }
              />
            </td>
            <th scope="col">id</th>
            {columns.map(({ path, title }) => (
              <th key={path} scope="col" aria-sort={describeSort(search['sort'], path)}>
                {collection.sort?.includes(path) === true ? (
                  <Button look="quiet" onClick={() => sortBy(path)}>
                    {title}
                  </Button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row.id} aria-rowindex={first + index + 2}>
              <td>
                <input
                  type="checkbox"
                  aria-label={texts.bulk.select(row.id)}
                  checked={selected.has(row.id)}
                  onChange={({ currentTarget }) => {
                    const others = [...selected].filter(([id]) => id !== row.id);
                    onSelect(new Map(currentTarget.checked ? [...others, [row.id, row]] : others));
                  }}
                />
              </td>
              <th scope="row">
                <Link to="/collections/$name/$id" params={{ name: collection.name, id: row.id }} search={{}}>
                  {row.id}
                </Link>
              </th>
              {columns.map((field) => (
                <td key={field.path}>
                  <Cell field={field} value={row[field.name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function describeSort(sort: string | undefined, path: string): 'ascending' | 'descending' | 'none' {
  return sort === path ? 'ascending' : sort === `-${path}` ? 'descending' : 'none';
}

/** One value, in one line. */
function Cell({ field, value }: { readonly field: ApiField; readonly value: unknown }) {
  if (value === null || value === undefined) return null;
  if (field.reference !== null && typeof value === 'string')
    return (
      <Link to="/collections/$name/$id" params={{ name: field.reference.collection, id: value }} search={{}}>
        {value}
      </Link>
    );
  if (typeof value === 'boolean') return value ? texts.grid.yes : texts.grid.no;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
