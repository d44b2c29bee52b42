import { memo, type ReactNode, useEffect, useRef } from 'react';
import type { ApiField } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { type Draft, UNSET } from './draft.ts';
import { FieldEditor, ProblemsContext } from './field-editor.tsx';
import type { FormState } from './use-form.ts';

export interface RowFormProps {
  readonly form: FormState;
  readonly onSubmit: () => void;
  /** The buttons below the fields. */
  readonly children: ReactNode;
}

/** The fields of a row. The first that was refused gets the focus. */
export function RowForm({ form, onSubmit, children }: RowFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { fields, drafts, report, setDraft } = form;
  useEffect(() => {
    if (report.problems.size === 0) return;
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [report]);
  return (
    <form
      ref={element}
      className="row-form"
      aria-label={texts.row.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <ProblemsContext value={report.problems}>
        {fields.map((field) => (
          <FormField key={field.name} field={field} draft={drafts[field.name] ?? UNSET} setDraft={setDraft} />
        ))}
      </ProblemsContext>
      <div className="row-actions">
        <FormFailure form={form} />
        <div className="actions">{children}</div>
      </div>
    </form>
  );
}

interface FormFieldProps {
  readonly field: ApiField;
  readonly draft: Draft;
  readonly setDraft: FormState['setDraft'];
}

/** A field, which is rendered again only where it has changed: a form may have hundreds. */
const FormField = memo(function FormField({ field, draft, setDraft }: FormFieldProps) {
  return <FieldEditor field={field} draft={draft} path={field.name} onDraft={(next) => setDraft(field.name, next)} />;
});

export interface SaveButtonsProps {
  readonly form: FormState;
  readonly onPreview: () => void;
}

/** Saves a form, or shows what that would store. A request that runs can be cancelled. */
export function SaveButtons({ form: { isBusy, cancel }, onPreview }: SaveButtonsProps) {
  return (
    <>
      <Button type="submit" look="primary" disabled={isBusy}>
        {isBusy ? texts.row.saving : texts.row.save}
      </Button>
      {isBusy ? (
        <Button onClick={cancel}>{texts.cancel}</Button>
      ) : (
        <Button onClick={onPreview}>{texts.row.preview}</Button>
      )}
    </>
  );
}

function FormFailure({ form: { report } }: { readonly form: FormState }) {
  const { problems, message, isUnconfirmed } = report;
  if (problems.size === 0 && message === null) return null;
  return (
    <div role="alert" className="notice failure">
      <strong>{isUnconfirmed ? texts.row.unconfirmed : texts.row.failed}</strong>
      {problems.size > 0 && <span>{texts.row.refused(problems.size)}</span>}
      {message !== null && <span>{message}</span>}
    </div>
  );
}
