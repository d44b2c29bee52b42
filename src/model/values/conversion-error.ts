/** A client's value of an older version that has no counterpart in the successor. It contains no values (REP-11). */
export class ConversionError extends Error {
  /** The older version of the conversion: MAJOR.MINOR.PATCH. */
  readonly version: string;
  readonly resource: string;
  /** The name of the field in that version. */
  readonly field: string;

  /**
   * @param message without the name of the field, such as `must be "true" or "false"`
   * @param options `cause`: the error of a function of the model
   */
  constructor(
    message: string,
    at: { readonly version: string; readonly resource: string; readonly field: string },
    options: { readonly cause?: Error } = {},
  ) {
    super(message, options);
    this.name = 'ConversionError';
    this.version = at.version;
    this.resource = at.resource;
    this.field = at.field;
  }
}
