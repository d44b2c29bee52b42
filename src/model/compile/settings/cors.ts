import type { CorsRule } from '../../../conventions/headers/cors.ts';
import { serializedOrigin } from '../../../conventions/headers/origin.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { readNumber, readObject, readStrings } from '../../values/access.ts';

/** Seconds: long enough for one visit of a page. */
const DEFAULT_MAX_AGE = 600;
const ANYONE = '*';
/** The origin that every sandboxed frame and every local file sends. It identifies no page. */
export const OPAQUE_ORIGIN = 'null';

/** Compiles `cors` and reports what names no origin (OPS-3); null where no page of another origin may use the API. */
export function compileCorsRule({ declared, path, report }: CompileContext): CorsRule | null {
  const cors = readObject(declared['cors']);
  const texts = readStrings(cors['origins']);
  const origins = new Set<string>();
  for (const [index, text] of texts.entries()) {
    const origin = namedOrigin(text);
    if (origin !== null) origins.add(origin);
    else if (text !== ANYONE && text !== OPAQUE_ORIGIN) {
      const fix = 'write scheme, host and port without a path, such as https://app.example.com, or * for every origin';
      report([...path, 'cors', 'origins', index], `'${text}' is not an origin`, fix);
    }
  }
  const anyone = texts.includes(ANYONE);
  const credentials = cors['credentials'] === true;
  if (anyone && credentials) {
    const fix = 'name each origin, or remove credentials';
    report([...path, 'cors', 'credentials'], 'browsers reject credentials where every origin (*) is allowed', fix);
  }
  if (!anyone && origins.size === 0) return null;
  const named = credentials ? 'origins-with-credentials' : 'origins';
  return { origins, readers: anyone ? 'anyone' : named, maxAge: readNumber(cors['max_age']) ?? DEFAULT_MAX_AGE };
}

/** The origin that a text names alone, with no path or wildcard; null for other texts. */
function namedOrigin(text: string): string | null {
  const origin = serializedOrigin(text);
  const url = URL.parse(text);
  if (origin === null || url === null || origin.includes('*')) return null;
  return /^\/?$/.test(url.pathname + url.search + url.hash) && url.username === '' && url.password === ''
    ? origin
    : null;
}
