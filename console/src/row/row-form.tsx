import { type ReactNode, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { UNSET } from './draft.ts';
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
          <FieldEditor
            key={field.name}
            field={field}
            draft={drafts[field.name] ?? UNSET}
            path={field.name}
            onDraft={(draft) => setDraft(field.name, draft)}
          />
        ))}
      </ProblemsContext>
      <div className="row-actions">
        <FormFailure form={form} />
        <div className="actions">{children}</div>
      </div>
    </form>
  );
}

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
