/** The path of a value from the root of its document: member names and array indexes. */
export type Path = readonly (string | number)[];

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** Formats a path for messages: `address.city`, `tags[2]`, `versions["1.4.0"]`; '' for the root (ERR-3). */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!PLAIN_NAME.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
