import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
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

const PAGE_SIZE = 50;
/** Pages in memory: earlier ones are dropped. */
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
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = useRows(collection, search);
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
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
          <Rows
            collection={collection}
            rows={rows}
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

function useRows(collection: ApiCollection, search: GridSearch) {
  const { calls } = useConnection();
  const { q, sort, columns: _columns, ...others } = search;
  return useInfiniteQuery({
    queryKey: ['rows', collection.name, q, sort, others],
    initialPageParam: null as string | null,
    maxPages: MAX_PAGES,
    queryFn: ({ pageParam, signal }) =>
      calls.run(() =>
        calls.collection(collection).page({
          limit: PAGE_SIZE,
          filter: clientFilter(readGridFilters(collection, others)),
          signal,
          ...(q === undefined ? {} : { q }),
          ...(sort === undefined ? {} : { sort: [sort] }),
          ...(pageParam === null ? {} : { after: pageParam }),
        }),
      ),
    getNextPageParam: ({ page }) => page.next_cursor ?? null,
    getPreviousPageParam: ({ page }) => page.prev_cursor ?? null,
  });
}

/** The selected rows by id. */
type SelectedRows = ReadonlyMap<string, Row>;

interface RowsProps {
  readonly collection: ApiCollection;
  readonly rows: readonly Row[];
  readonly search: GridSearch;
  readonly onChange: (search: GridSearch) => void;
  readonly selected: SelectedRows;
  readonly onSelect: (selected: SelectedRows) => void;
}

function Rows({ collection, rows, search, onChange, selected, onSelect }: RowsProps) {
  const columns = chosenColumns(collection, search);
  const sortBy = (path: string): void => {
    const { sort, ...others } = search;
    const next = nextSort(sort, path);
    onChange(next === undefined ? others : { ...others, sort: next });
  };
  return (
    // The focus makes it scroll by keyboard.
    <section className="scroller" tabIndex={0} aria-label={texts.grid.rows(collection.title)}>
      <table className="grid">
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
          {rows.map((row) => (
            <tr key={row.id}>
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
