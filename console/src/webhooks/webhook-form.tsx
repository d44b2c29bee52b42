import { type FormEvent, useEffect, useRef, useState } from 'react';
import { isRequestError } from 'restwright/client';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import { describeFailure, findFieldError } from '../api/read-json.ts';
import { asText } from '../schema/json-access.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input, Select, TextArea } from '../ui/field.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useWebhookWrite } from './use-webhooks.ts';
import { FORMATS, type Webhook } from './webhook-types.ts';

export interface WebhookFormProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The webhook that is changed; none for a new one. */
  readonly webhook?: Webhook;
}

/** Creates or changes a webhook. The secret of a new one is shown once. */
export function WebhookForm({ isOpen, onClose, webhook }: WebhookFormProps) {
  const { webhooks: words } = texts;
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setSecret(null);
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={secret !== null ? words.secret : webhook === undefined ? words.create : words.edit}
      closeLabel={secret === null ? texts.cancel : texts.close}
    >
      {secret === null ? (
        <Form webhook={webhook} onSaved={(created) => (created === null ? close() : setSecret(created))} />
      ) : (
        <>
          <p>{words.secretHint}</p>
          <ShownOnce name={words.secret} text={secret} label={words.copy} copiedLabel={words.copied} />
        </>
      )}
    </Dialog>
  );
}

interface Values {
  readonly url: string;
  readonly types: string;
  readonly format: string;
  readonly filter: string;
  readonly description: string;
  readonly ordered: boolean;
}

const FIELDS = ['url', 'event_types', 'format', 'filter', 'description'];

function readValues(webhook: Webhook | undefined): Values {
  return {
    url: webhook?.url ?? '',
    types: webhook?.event_types.join(', ') ?? '',
    format: webhook?.format ?? 'native',
    filter: webhook?.filter ?? '',
    description: webhook?.description ?? '',
    ordered: webhook?.ordered === true,
  };
}

function toBody({ url, types, format, filter, description, ordered }: Values) {
  return {
    url: url.trim(),
    event_types: types.split(/[\s,]+/).filter((each) => each !== ''),
    format,
    filter: filter.trim() === '' ? null : filter.trim(),
    description: description.trim() === '' ? null : description,
    ordered,
  };
}

/** The members that a save has to send: those that differ from what was read. */
function listChanges(values: Values, webhook: Webhook): Readonly<Record<string, unknown>> {
  const before = new Map<string, unknown>(Object.entries(toBody(readValues(webhook))));
  const changes = Object.entries(toBody(values));
  return Object.fromEntries(
    changes.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name))),
  );
}

interface FormProps {
  readonly webhook: Webhook | undefined;
  /** Called with the secret of a new webhook. */
  readonly onSaved: (secret: string | null) => void;
}

function Form({ webhook, onSaved }: FormProps) {
  const { webhooks: words } = texts;
  // The webhook as it was when the form opened: a save sends only what differs from it.
  const [base] = useState(webhook);
  const [values, setValues] = useState(() => readValues(webhook));
  const form = useRef<HTMLFormElement>(null);
  const save = useWebhookWrite(
    (find): Promise<Row> =>
      webhook === undefined || base === undefined
        ? find().create(toBody(values))
        : find().update(webhook, listChanges(values, base)),
  );
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('.control[data-invalid]')?.focus();
  }, [save.error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(undefined, { onSuccess: (saved) => onSaved(asText(saved['secret'])) });
  };
  const isConflict = isRequestError(save.error) && save.error.status === 412;
  const failure = isConflict ? words.conflict : describeFailure(save.error, FIELDS);
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate>
      <Fields values={values} error={save.error} onChange={(changes) => setValues({ ...values, ...changes })} />
      {failure !== null && (
        <p role="alert" className="error-text">
          {failure}
        </p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" disabled={save.isPending}>
          {webhook === undefined ? words.create : words.save}
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly values: Values;
  readonly error: Error | null;
  readonly onChange: (changes: Partial<Values>) => void;
}

function Fields({ values, error, onChange }: FieldsProps) {
  const { webhooks: words } = texts;
  const errorAt = (name: string): string | null => findFieldError(error, name);
  return (
    <>
      <Field label={words.url} hint={words.urlHint} error={errorAt('url')}>
        <Input type="url" value={values.url} onChange={({ currentTarget }) => onChange({ url: currentTarget.value })} />
      </Field>
      <TypesField value={values.types} error={errorAt('event_types')} onValue={(types) => onChange({ types })} />
      <Field label={words.description} error={errorAt('description')}>
        <Input
          value={values.description}
          onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
        />
      </Field>
      <Field label={words.format} error={errorAt('format')}>
        <Select
          value={values.format}
          options={FORMATS.map((value) => ({ value, label: words.formats[value] }))}
          onValue={(format) => onChange({ format })}
        />
      </Field>
      <Field label={words.filter} hint={words.filterHint} error={errorAt('filter')}>
        <TextArea
          rows={2}
          value={values.filter}
          onChange={({ currentTarget }) => onChange({ filter: currentTarget.value })}
        />
      </Field>
      <label className="choice">
        <input
          type="checkbox"
          checked={values.ordered}
          onChange={({ currentTarget }) => onChange({ ordered: currentTarget.checked })}
        />
        {words.ordered}
      </label>
    </>
  );
}

interface TypesFieldProps {
  readonly value: string;
  readonly error: string | null;
  readonly onValue: (value: string) => void;
}

/** Types and patterns of events, as text; the first collections are the example. */
function TypesField({ value, error, onValue }: TypesFieldProps) {
  const { schema } = useConnection();
  const examples = [...schema.collections.values()].slice(0, 3).map(({ type }) => `${type}.*`);
  return (
    <Field label={texts.webhooks.types} hint={texts.webhooks.typesHint(['*', ...examples].join(', '))} error={error}>
      <Input value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)} />
    </Field>
  );
}
