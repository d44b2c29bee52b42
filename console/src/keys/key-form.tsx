import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { listScopes } from './known-scopes.ts';
import { EMPTY_DRAFT, type FormProblems, NO_PROBLEMS, readMember, readProblems, toBody } from './new-key.ts';
import { ScopeChoice } from './scope-choice.tsx';

export interface KeyFormProps {
  readonly collection: ApiCollection;
  /** Called with the key, which no other response shows. */
  readonly onCreated: (key: string, name: string) => void;
}

/** Asks for the name, the scopes and the end of a new key. */
export function KeyForm({ collection, onCreated }: KeyFormProps) {
  const { calls, schema } = useConnection();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const show = (found: FormProblems): void => {
    setProblems(found);
    const [first] = found.fields.keys();
    form.current?.querySelector<HTMLElement>(first === 'scopes' ? 'fieldset input' : `[name="${first}"]`)?.focus();
  };
  const { mutate, isPending } = useMutation({
    mutationFn: () => calls.run<Row>(() => calls.collection(collection).create(toBody(draft))),
    onSuccess: (row) => onCreated(readMember(row, 'key'), draft.name.trim()),
    onError: (error) => show(readProblems(error)),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const fields = new Map([
      ...(draft.name.trim() === '' ? [['name', texts.keys.nameMissing] as const] : []),
      ...(draft.scopes.size === 0 ? [['scopes', texts.keys.scopesMissing] as const] : []),
    ]);
    show({ fields, whole: null });
    if (fields.size === 0) mutate();
  };
  const problemAt = (field: string): string | null => problems.fields.get(field) ?? null;
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate>
      <Field label={texts.keys.name} hint={texts.keys.nameHint} error={problemAt('name')}>
        <Input
          name="name"
          autoComplete="off"
          value={draft.name}
          onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
        />
      </Field>
      <ScopeChoice
        known={listScopes(schema)}
        chosen={draft.scopes}
        onChange={(scopes) => setDraft({ ...draft, scopes })}
        error={problemAt('scopes')}
      />
      <Field label={texts.keys.expires} hint={texts.keys.expiresHint} error={problemAt('expires_at')}>
        <Input
          name="expires_at"
          type="datetime-local"
          value={draft.expires}
          onChange={({ currentTarget }) => setDraft({ ...draft, expires: currentTarget.value })}
        />
      </Field>
      {problems.whole !== null && (
        <p role="alert" className="error-text">
          {problems.whole}
        </p>
      )}
      <Button type="submit" look="primary" disabled={isPending}>
        {isPending ? texts.keys.creating : texts.keys.create}
      </Button>
    </form>
  );
}
