/** Where a value stands: member names and array indexes from the root. */
export type Path = readonly (string | number)[];

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** A path as a person writes it: `address.city`, `tags[2]`, `versions["1.4.0"]`; '' for the root (ERR-3). */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!PLAIN_NAME.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
