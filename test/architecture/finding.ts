/** One place that breaks a rule: `file` relative to the checkout, `line` from 1. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  /** What is wrong and how to put it right. */
  readonly message: string;
}

/** `src/a.ts:3 [floors] ...`, as editors and terminals link it. */
export function formatFinding({ file, line, rule, message }: Finding): string {
  return `${file}:${line} [${rule}] ${message}`;
}
