/** Data from which no model can be inferred. The message states the cause and the fix. */
export class DataError extends Error {
  override readonly name = 'DataError';
  /** The line in the file, from 1; null where the error is not in one line. */
  readonly line: number | null;

  constructor(line: number | null, message: string) {
    super(message);
    this.line = line;
  }
}
