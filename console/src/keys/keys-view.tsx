import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Failure, Loading } from '../ui/notice.tsx';
import { useToast } from '../ui/toast.tsx';
import { CreatedKey } from './created-key.tsx';
import { KeyForm } from './key-form.tsx';
import { KeyTable } from './key-table.tsx';
import { readMember } from './new-key.ts';
import { RevokeDialog } from './revoke-dialog.tsx';

/** The type of API keys, whatever their collection is called. */
const KEY_TYPE = 'api_key';

/** The API keys: made, listed and revoked. */
export function KeysView() {
  const { schema } = useConnection();
  const collection = [...schema.collections.values()].find(({ type }) => type === KEY_TYPE);
  return (
    <>
      <h1>{texts.navigation.keys}</h1>
      {collection === undefined ? <p>{texts.keys.notServed}</p> : <Keys collection={collection} />}
    </>
  );
}

function Keys({ collection }: { readonly collection: ApiCollection }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<Row | null>(null);
  const reload = (): void => void queries.invalidateQueries({ queryKey: ['keys', collection.name] });
  const close = (): void => {
    setCreating(false);
    setCreated(null);
  };
  return (
    <>
      {collection.methods.has('create') && (
        <div className="actions">
          <Button look="primary" onClick={() => setCreating(true)}>
            {texts.keys.new}
          </Button>
        </div>
      )}
      <KeyList collection={collection} onRevoke={collection.methods.has('delete') ? setRevoking : null} />
      <Dialog
        isOpen={isCreating}
        // A key that was made is closed by its own button: it cannot be shown again.
        onClose={() => created === null && close()}
        title={created === null ? texts.keys.new : texts.keys.created}
        description={created === null ? texts.keys.newHint : texts.keys.createdHint}
        {...(created === null ? { closeLabel: texts.cancel } : {})}
      >
        {created === null ? (
          <KeyForm
            collection={collection}
            onCreated={(key) => {
              setCreated(key);
              reload();
            }}
          />
        ) : (
          <CreatedKey value={created} onClose={close} />
        )}
      </Dialog>
      {revoking !== null && (
        <RevokeDialog
          collection={collection}
          row={revoking}
          onClose={() => setRevoking(null)}
          onRevoked={() => {
            toast(texts.keys.revoked(readMember(revoking, 'name')));
            setRevoking(null);
            reload();
          }}
        />
      )}
    </>
  );
}

interface KeyListProps {
  readonly collection: ApiCollection;
  readonly onRevoke: ((row: Row) => void) | null;
}

function KeyList({ collection, onRevoke }: KeyListProps) {
  const { calls, session } = useConnection();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['keys', collection.name, session.read().token],
    queryFn: ({ pageParam }) => calls.run(() => calls.collection(collection).page({ limit: 100, ...pageParam })),
    initialPageParam: {},
    getNextPageParam: ({ page: { has_more, next_cursor } }) =>
      has_more && typeof next_cursor === 'string' ? { after: next_cursor } : undefined,
  });
  if (error !== null)
    return (
      <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Loading text={texts.loading} />;
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <p>{texts.keys.none}</p>;
  return (
    <>
      <KeyTable rows={rows} onRevoke={onRevoke} />
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.keys.more}
        </Button>
      )}
    </>
  );
}
