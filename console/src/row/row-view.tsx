import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ParentIds } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Failure, Loading } from '../ui/notice.tsx';
import { CreateForm } from './create-form.tsx';
import { isGone } from './request-failure.ts';
import { RowEditor } from './row-editor.tsx';

/** A row: shows, changes and deletes it. */
export function RowView() {
  const { name = '', id = '' } = useParams({ strict: false });
  const place = usePlace(name);
  return place.collection === null ? <p>{place.reason}</p> : <LoadedRow {...place} id={id} />;
}

/** A form for another row. */
export function NewRowView() {
  const { name = '' } = useParams({ strict: false });
  const place = usePlace(name);
  if (place.collection === null) return <p>{place.reason}</p>;
  return (
    <>
      <BackLink {...place} />
      <h1>{texts.row.create(place.collection.singular)}</h1>
      {place.collection.methods.has('create') ? (
        <CreateForm {...place} />
      ) : (
        <p>{texts.row.noCreation(place.collection.title)}</p>
      )}
    </>
  );
}

/** A collection, below the rows that its path needs. */
interface Place {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
}

function usePlace(name: string): Place | { readonly collection: null; readonly reason: string } {
  const { schema } = useConnection();
  const search = useSearch({ strict: false });
  const collection = schema.collections.get(name);
  if (collection === undefined) return { collection: null, reason: texts.noCollection(name) };
  const parents = `${search['parents'] ?? ''}`.split(',').filter((each) => each !== '');
  const needed = collection.path.split('{').length - 1;
  if (parents.length < needed) return { collection: null, reason: texts.row.noParents(collection.title) };
  return { collection, parents };
}

function BackLink({ collection, parents }: Place) {
  const search = parents.length === 0 ? {} : { parents: parents.join(',') };
  return (
    <Link to="/collections/$name" params={{ name: collection.name }} search={search}>
      {texts.row.back(collection.title)}
    </Link>
  );
}

function LoadedRow({ collection, parents, id }: Place & { readonly id: string }) {
  const { calls } = useConnection();
  const { data, error, refetch } = useQuery({
    queryKey: ['row', collection.name, parents, id],
    queryFn: () => calls.run(() => calls.collection(collection, parents).get(id)),
    // What is edited is what was read: another reading would not be seen before a save.
    refetchOnWindowFocus: false,
    refetchOnMount: 'always',
    gcTime: 0,
  });
  const isMissing = isGone(error);
  return (
    <>
      <BackLink collection={collection} parents={parents} />
      <h1>{texts.row.edit(collection.singular, id)}</h1>
      {data !== undefined ? (
        <RowEditor collection={collection} parents={parents} read={data} />
      ) : error === null ? (
        <Loading text={texts.loading} />
      ) : (
        <Failure
          title={isMissing ? texts.row.none(collection.singular, id) : texts.failed}
          text={isMissing ? texts.row.noneHint : error.message}
          retryLabel={texts.retry}
          onRetry={() => void refetch()}
        />
      )}
    </>
  );
}
