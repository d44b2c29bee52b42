import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { asText } from '../schema/json-access.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Facts } from '../ui/facts.tsx';
import { Failure, Loading } from '../ui/notice.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useToast } from '../ui/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { ReceiverCode } from './receiver-code.tsx';
import { Replays } from './replays.tsx';
import { useWebhook, useWebhookWrite } from './use-webhooks.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';
import type { Webhook } from './webhook-types.ts';

/** One webhook with its deliveries and replays, and what can be done with it. */
export function WebhookDetail({ id }: { readonly id: string }) {
  const { data: webhook, error, refetch } = useWebhook(id);
  return (
    <>
      <Link to="/webhooks" search={{}}>
        {texts.webhooks.all}
      </Link>
      <h1 className="verbatim">{webhook?.url ?? texts.webhooks.one}</h1>
      {webhook !== undefined ? (
        <>
          <WebhookFacts webhook={webhook} />
          <Actions webhook={webhook} />
          <Deliveries webhook={webhook} />
          <Replays webhook={webhook} />
          <ReceiverCode />
        </>
      ) : error === null ? (
        <Loading text={texts.loading} />
      ) : (
        <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={() => void refetch()} />
      )}
    </>
  );
}

function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const { status, types, description, filter } = texts.webhooks;
  const facts = [
    { name: 'status', title: status, value: <WebhookState webhook={webhook} /> },
    { name: 'types', title: types, value: webhook.event_types.join(', ') },
    { name: 'description', title: description, value: webhook.description },
    { name: 'filter', title: filter, value: webhook.filter === null ? null : <code>{webhook.filter}</code> },
  ];
  return <Facts facts={facts.filter(({ value }) => value !== null)} />;
}

type OpenDialog = 'edit' | 'rotate' | 'delete' | null;

function Actions({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: words } = texts;
  const { schema } = useConnection();
  const toast = useToast();
  const [open, setOpen] = useState<OpenDialog>(null);
  const isEnabled = webhook.status !== 'disabled';
  const onError = (error: Error): void => toast(error.message, 'error');
  const toggle = useWebhookWrite((find) => find().update(webhook, { status: isEnabled ? 'disabled' : 'enabled' }));
  const ping = useWebhookWrite((find) => find('deliveries', webhook.id).create({ type: 'webhook.ping' }));
  const close = (): void => setOpen(null);
  const methods = schema.collections.get('webhooks')?.methods;
  return (
    <div className="bar">
      <Button
        disabled={ping.isPending}
        onClick={() => ping.mutate(undefined, { onError, onSuccess: () => toast(words.pinged) })}
      >
        {words.ping}
      </Button>
      {methods?.has('update') === true && (
        <>
          <Button onClick={() => setOpen('edit')}>{words.edit}</Button>
          <Button disabled={toggle.isPending} onClick={() => toggle.mutate(undefined, { onError })}>
            {isEnabled ? words.disable : words.enable}
          </Button>
          <Button onClick={() => setOpen('rotate')}>{words.rotate}</Button>
        </>
      )}
      {methods?.has('delete') === true && (
        <Button look="danger" onClick={() => setOpen('delete')}>
          {words.delete}
        </Button>
      )}
      <WebhookForm isOpen={open === 'edit'} onClose={close} webhook={webhook} />
      <RotateDialog isOpen={open === 'rotate'} onClose={close} webhook={webhook} />
      <DeleteDialog isOpen={open === 'delete'} onClose={close} webhook={webhook} />
    </div>
  );
}

interface WebhookDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly webhook: Webhook;
}

function RotateDialog({ isOpen, onClose, webhook }: WebhookDialogProps) {
  const { webhooks: words } = texts;
  const rotate = useWebhookWrite((find) => find('secrets', webhook.id).create({}));
  const secret = asText(rotate.data?.['secret']);
  const close = (): void => {
    // The secret is not kept in memory.
    rotate.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={words.rotate}
      description={secret === null ? words.rotateHint : words.secretHint}
      closeLabel={secret === null ? texts.cancel : texts.close}
    >
      {secret === null ? (
        <div className="actions">
          <Button look="primary" disabled={rotate.isPending} onClick={() => rotate.mutate(undefined)}>
            {words.rotateNow}
          </Button>
        </div>
      ) : (
        <ShownOnce name={words.secret} text={secret} label={words.copy} copiedLabel={words.copied} />
      )}
      {rotate.error !== null && (
        <p role="alert" className="error-text">
          {rotate.error.message}
        </p>
      )}
    </Dialog>
  );
}

function DeleteDialog({ isOpen, onClose, webhook }: WebhookDialogProps) {
  const { webhooks: words } = texts;
  const navigate = useNavigate();
  const remove = useWebhookWrite(async (find) => {
    await find().delete(webhook);
    // Nothing of it is read again.
    await navigate({ to: '/webhooks', search: {} });
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={words.delete}
      description={words.deleteHint(webhook.url)}
      closeLabel={texts.cancel}
    >
      <div className="actions">
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
          {words.deleteNow}
        </Button>
      </div>
      {remove.error !== null && (
        <p role="alert" className="error-text">
          {remove.error.message}
        </p>
      )}
    </Dialog>
  );
}
