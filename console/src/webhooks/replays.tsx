import { type FormEvent, useState } from 'react';
import { describeFailure, findFieldError } from '../api/read-json.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { usePages, useWebhookWrite } from './use-webhooks.ts';
import type { Replay, Webhook } from './webhook-types.ts';

const DAY = 86_400_000;

/** Delivers the events of a window again, and lists the windows so far. */
export function Replays({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: words } = texts;
  const { items } = usePages<Replay>(`/webhooks/${encodeURIComponent(webhook.id)}/replays`, (all) =>
    all.some(({ status }) => status === 'pending' || status === 'running'),
  );
  return (
    <section className="stack" aria-label={words.replays}>
      <h2>{words.replays}</h2>
      <p className="hint">{words.replayHint}</p>
      <ReplayForm webhook={webhook} />
      {items.length > 0 && (
        <ul className="attempts">
          {items.map((replay) => (
            <li key={replay.id}>
              <Time value={replay.from} /> – <Time value={replay.to} />
              {` · ${replay.status}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ReplayForm({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: words } = texts;
  const toast = useToast();
  const [from, setFrom] = useState(() => toLocal(new Date(Date.now() - DAY)));
  const [to, setTo] = useState(() => toLocal(new Date()));
  const replay = useWebhookWrite((find) => find('replays', webhook.id).create({ from: toUtc(from), to: toUtc(to) }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replay.mutate(undefined, { onSuccess: () => toast(words.replayed) });
  };
  const failure = describeFailure(replay.error, ['from', 'to']);
  return (
    <form className="filter-bar" onSubmit={submit} noValidate>
      <Field label={words.from} error={findFieldError(replay.error, 'from')}>
        <Input type="datetime-local" value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
      </Field>
      <Field label={words.to} error={findFieldError(replay.error, 'to')}>
        <Input type="datetime-local" value={to} onChange={({ currentTarget }) => setTo(currentTarget.value)} />
      </Field>
      <Button type="submit" className="fit" disabled={replay.isPending || from === '' || to === ''}>
        {words.replay}
      </Button>
      {failure !== null && (
        <p role="alert" className="error-text">
          {failure}
        </p>
      )}
    </form>
  );
}

/** A time as the control of the platform writes it, up to the end of its minute. */
function toLocal(time: Date): string {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000 + 60_000);
  return shifted.toISOString().slice(0, 16);
}

function toUtc(local: string): string {
  return new Date(local).toISOString();
}
