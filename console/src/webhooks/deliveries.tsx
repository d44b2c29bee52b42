import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Failure, Loading } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { usePages, useWebhookWrite } from './use-webhooks.ts';
import type { Attempt, Delivery, Webhook } from './webhook-types.ts';

const STATES = ['dead', 'retrying', 'pending', 'succeeded'] as const;

/** What was delivered to a webhook, the newest first, and what was given up. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: words } = texts;
  const [status, setStatus] = useState('');
  const path = `/webhooks/${encodeURIComponent(webhook.id)}/deliveries${status === '' ? '' : `?status=${status}`}`;
  const { query, items } = usePages<Delivery>(path, (all) =>
    all.some((each) => each.status === 'pending' || each.status === 'retrying'),
  );
  const all = { value: '', label: texts.events.any };
  return (
    <section className="stack" aria-label={words.deliveries}>
      <h2>{words.deliveries}</h2>
      <div className="filter-bar">
        <Field label={words.status}>
          <Select
            value={status}
            options={[all, ...STATES.map((value) => ({ value, label: words.deliveryStates[value] }))]}
            onValue={setStatus}
          />
        </Field>
        <Button className="fit" onClick={() => void query.refetch()}>
          {texts.events.refresh}
        </Button>
      </div>
      {query.data === undefined ? (
        query.error === null ? (
          <Loading text={texts.loading} />
        ) : (
          <Failure
            title={texts.failed}
            text={query.error.message}
            retryLabel={texts.retry}
            onRetry={() => void query.refetch()}
          />
        )
      ) : items.length === 0 ? (
        <p>{words.noDeliveries}</p>
      ) : (
        <DeliveryTable deliveries={items} webhook={webhook} />
      )}
      {query.hasNextPage && (
        <Button className="fit" onClick={() => void query.fetchNextPage()}>
          {texts.grid.more}
        </Button>
      )}
    </section>
  );
}

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  readonly webhook: Webhook;
}

function DeliveryTable({ deliveries, webhook }: DeliveryTableProps) {
  const { webhooks: words } = texts;
  const [opened, setOpened] = useState<string | null>(null);
  const columns = [words.created, words.type, words.status, words.attempts, words.nextAttempt, words.again];
  return (
    <Table label={words.deliveries} columns={columns}>
      {deliveries.map((delivery) => (
        <Fragment key={delivery.id}>
          <DeliveryRow
            delivery={delivery}
            webhook={webhook}
            isOpen={opened === delivery.id}
            onOpen={() => setOpened(opened === delivery.id ? null : delivery.id)}
          />
          {opened === delivery.id && (
            <tr>
              <td colSpan={columns.length}>
                <AttemptList attempts={delivery.attempts} />
              </td>
            </tr>
          )}
        </Fragment>
      ))}
    </Table>
  );
}

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function DeliveryRow({ delivery, webhook, isOpen, onOpen }: DeliveryRowProps) {
  const { webhooks: words } = texts;
  const toast = useToast();
  const { event_id: eventId, type, status, attempts, next_attempt_at: next } = delivery;
  const send = useWebhookWrite((find) =>
    find('deliveries', webhook.id).create(eventId === null ? { type } : { event_id: eventId }),
  );
  const again = (): void =>
    send.mutate(undefined, {
      onSuccess: () => toast(words.sentAgain),
      onError: (error) => toast(error.message, 'error'),
    });
  return (
    <tr>
      <td>
        <Time value={delivery.created_at} />
      </td>
      <td>
        {eventId === null ? (
          type
        ) : (
          <Link to="/events" search={{ event: eventId }}>
            {type}
          </Link>
        )}
      </td>
      <td className={status === 'dead' ? 'error-text' : ''}>{words.deliveryStates[status]}</td>
      <td>
        <Button look="quiet" aria-expanded={isOpen} onClick={onOpen} disabled={attempts.length === 0}>
          {words.attemptCount(attempts.length)}
        </Button>
      </td>
      <td>{next === null ? '–' : <Time value={next} />}</td>
      <td>
        <Button disabled={send.isPending} aria-label={words.sendAgain(type)} onClick={again}>
          {words.again}
        </Button>
      </td>
    </tr>
  );
}

function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const { webhooks: words } = texts;
  return (
    <ol className="attempts">
      {attempts.map(({ at, duration, status_code: code, response, error }) => (
        <li key={at}>
          <Time value={at} />
          {` · ${code === null ? words.noResponse : words.answered(code)} · ${words.took(duration ?? 0)}`}
          {error !== null && <p className="error-text wrapped">{error}</p>}
          {response !== null && response !== '' && <pre className="response">{response}</pre>}
        </li>
      ))}
    </ol>
  );
}
