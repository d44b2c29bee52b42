import { useMemo, useState } from 'react';
import type { ApiField } from '../schema/api-schema.ts';
import type { Draft, DraftMembers, Problems } from './draft.ts';
import { isSameJson } from './json-values.ts';
import type { FieldValues } from './merge-rows.ts';
import { sortFailure } from './request-failure.ts';
import { readForm } from './row-fields.ts';

/** The problems that a form shows with its values. */
export interface FormReport {
  readonly problems: Problems;
  /** The failure of the whole; null without one. */
  readonly message: string | null;
  /** Changes with each report, so that the first fault gets the focus again. */
  readonly number: number;
}

/** The values of a form while they are edited. */
export interface FormState {
  readonly fields: readonly ApiField[];
  readonly drafts: DraftMembers;
  readonly values: FieldValues;
  readonly report: FormReport;
  readonly isBusy: boolean;
  /** True if what was typed differs from what the form began with. */
  readonly isDirty: boolean;
  readonly setDraft: (name: string, draft: Draft) => void;
  /** Begins with other values. */
  readonly restart: (drafts: DraftMembers, initial?: DraftMembers) => void;
  /** Runs a request with the values, if all of them are some. Its errors are shown at their fields. */
  readonly submit: (send: (values: FieldValues) => Promise<void>) => Promise<void>;
}

const NO_PROBLEMS: Problems = new Map();

/** Keeps the values of a form. Nothing that was typed is lost by a failure. */
export function useForm(fields: readonly ApiField[], begin: () => DraftMembers): FormState {
  const [{ drafts, initial }, setForm] = useState(() => {
    const first = begin();
    return { drafts: first, initial: first };
  });
  const [report, setReport] = useState<FormReport>({ problems: NO_PROBLEMS, message: null, number: 0 });
  const [isBusy, setBusy] = useState(false);
  const { values, problems } = useMemo(() => readForm(fields, drafts), [fields, drafts]);
  const show = (next: Omit<FormReport, 'number'>): void => setReport(({ number }) => ({ ...next, number: number + 1 }));
  return {
    fields,
    drafts,
    values,
    report,
    isBusy,
    isDirty: !isSameJson(drafts, initial),
    setDraft: (name, draft) => setForm((form) => ({ ...form, drafts: { ...form.drafts, [name]: draft } })),
    restart: (next, from = next) => {
      setForm({ drafts: next, initial: from });
      setReport({ problems: NO_PROBLEMS, message: null, number: 0 });
    },
    submit: async (send) => {
      if (problems.size > 0) return show({ problems, message: null });
      setBusy(true);
      setReport((before) => ({ ...before, problems: NO_PROBLEMS, message: null }));
      try {
        await send(values);
      } catch (error) {
        show(
          sortFailure(
            error,
            fields.map(({ name }) => name),
          ),
        );
      } finally {
        setBusy(false);
      }
    },
  };
}
