import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { usePages } from './use-webhooks.ts';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';
import type { Webhook } from './webhook-types.ts';

/** The webhooks: `#/webhooks`, one of them `#/webhooks?id=…`. */
export function WebhooksView() {
  const { schema } = useConnection();
  const { id } = useSearch({ strict: false });
  const isServed = schema.collections.get('webhooks')?.children.includes('deliveries') === true;
  if (id !== undefined && isServed) return <WebhookDetail key={id} id={id} />;
  return (
    <>
      <h1>{texts.navigation.webhooks}</h1>
      {isServed ? <WebhookList /> : <p>{texts.webhooks.notServed}</p>}
    </>
  );
}

function WebhookList() {
  const { schema } = useConnection();
  const { webhooks: words } = texts;
  const [isCreating, setCreating] = useState(false);
  const { query, items } = usePages<Webhook>('/webhooks?sort=-created_at');
  const canCreate = schema.collections.get('webhooks')?.methods.has('create') === true;
  if (query.data === undefined)
    return query.error === null ? (
      <Loading text={texts.loading} />
    ) : (
      <Failure
        title={texts.failed}
        text={query.error.message}
        retryLabel={texts.retry}
        onRetry={() => void query.refetch()}
      />
    );
  return (
    <>
      {canCreate && (
        <div className="bar">
          <Button look="primary" onClick={() => setCreating(true)}>
            {words.create}
          </Button>
        </div>
      )}
      {items.length === 0 ? <p>{words.none}</p> : <WebhookTable webhooks={items} />}
      {query.hasNextPage && <Button onClick={() => void query.fetchNextPage()}>{texts.grid.more}</Button>}
      <WebhookForm isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { webhooks: words } = texts;
  return (
    <Table label={texts.navigation.webhooks} columns={[words.url, words.types, words.status, words.created]}>
      {webhooks.map((webhook) => (
        <tr key={webhook.id}>
          <td className="wrapped">
            <Link to="/webhooks" search={{ id: webhook.id }}>
              {webhook.url}
            </Link>
            {webhook.description !== null && <p className="hint">{webhook.description}</p>}
          </td>
          <td className="wrapped">{webhook.event_types.join(', ')}</td>
          <td>
            <WebhookState webhook={webhook} />
          </td>
          <td>
            <Time value={webhook.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
