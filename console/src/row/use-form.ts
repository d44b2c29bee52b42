import { useCallback, useMemo, useRef, useState } from 'react';
import type { ApiField } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import type { Draft, DraftMembers } from './draft.ts';
import { isSameJson } from './json-values.ts';
import { type FieldValues, takeAnswer } from './merge-rows.ts';
import { type RequestFailure, sortFailure } from './request-failure.ts';
import { readForm } from './row-fields.ts';

/** The problems that a form shows with its values. */
export interface FormReport extends Omit<RequestFailure, 'status'> {
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
  /**
   * Goes on with other values. What was typed since the request stays.
   *
   * @param sent the drafts at the time of the request
   * @param initial those of the stored row. Default: the next ones
   */
  readonly rebase: (sent: DraftMembers, next: DraftMembers, initial?: DraftMembers) => void;
  /** Runs a request with the values, if all of them are some. Its errors are shown at their fields. */
  readonly submit: (send: (values: FieldValues, signal: AbortSignal) => Promise<void>) => Promise<void>;
  /** Ends the request that runs. */
  readonly cancel: () => void;
}

const NO_REPORT = { problems: new Map(), message: null, isUnconfirmed: false } as const;

/** Keeps the values of a form. Nothing that was typed is lost by a failure. */
export function useForm(fields: readonly ApiField[], begin: () => DraftMembers): FormState {
  const [{ drafts, initial }, setForm] = useState(() => {
    const first = begin();
    return { drafts: first, initial: first };
  });
  const [report, setReport] = useState<FormReport>({ ...NO_REPORT, number: 0 });
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  const { values, problems } = useMemo(() => readForm(fields, drafts), [fields, drafts]);
  const setDraft = useCallback<FormState['setDraft']>(
    (name, draft) => setForm((form) => ({ ...form, drafts: { ...form.drafts, [name]: draft } })),
    [],
  );
  const show = (next: Omit<FormReport, 'number'>): void => setReport(({ number }) => ({ ...next, number: number + 1 }));
  return {
    fields,
    drafts,
    values,
    report,
    isBusy,
    isDirty: !isSameJson(drafts, initial),
    setDraft,
    rebase: (sent, next, from = next) => {
      setForm((form) => ({ drafts: takeAnswer(sent, form.drafts, next), initial: from }));
      setReport({ ...NO_REPORT, number: 0 });
    },
    submit: async (send) => {
      if (problems.size > 0) return show({ ...NO_REPORT, problems });
      const controller = new AbortController();
      running.current = controller;
      setBusy(true);
      setReport((before) => ({ ...before, ...NO_REPORT }));
      try {
        await send(values, controller.signal);
      } catch (error) {
        const names = fields.map(({ name }) => name);
        if (controller.signal.aborted) show({ ...NO_REPORT, message: texts.row.cancelled, isUnconfirmed: true });
        else show(sortFailure(error, names));
      } finally {
        setBusy(false);
      }
    },
    cancel: () => running.current?.abort(),
  };
}
