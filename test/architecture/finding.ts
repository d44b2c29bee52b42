/** A violation of a rule: `file` is relative to the checkout, `line` starts at 1. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  /** The cause and the fix. */
  readonly message: string;
}

/** `src/a.ts:3 [layers] ...`, which editors and terminals turn into links. */
export function formatFinding({ file, line, rule, message }: Finding): string {
  return `${file}:${line} [${rule}] ${message}`;
}
