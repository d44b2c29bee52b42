const KNOWN: ReadonlySet<string> = new Set('GET HEAD QUERY POST PUT PATCH DELETE OPTIONS CONNECT TRACE'.split(' '));

/** The label of any other method. */
export const OTHER = '_OTHER';

/** A method as a label: clients cannot make up series. The value for others is OpenTelemetry's. */
export function knownMethod(method: string): string {
  return KNOWN.has(method) ? method : OTHER;
}
