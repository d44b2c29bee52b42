import type { HeaderFields } from './header-fields.ts';
import { serializedOrigin } from './origin.ts';
import { REQUEST_FIELDS, RESPONSE_FIELDS } from './field-names.ts';

/** Which pages of other origins may use an API (OPS-3). */
export interface CorsRule {
  /** Origins whose pages may read and write, as browsers serialize them. */
  readonly origins: ReadonlySet<string>;
  /**
   * The origins whose pages may read: those listed; those of the origins, also in requests with cookies and client
   * certificates; or all. A browser rejects credentials where every origin may read (Fetch standard, CORS check).
   */
  readonly readers: 'origins' | 'origins-with-credentials' | 'anyone';
  /** Seconds for which a browser may keep the response to a preflight. */
  readonly maxAge: number;
}

/** The decision of CORS for one origin. */
export interface OriginAccess {
  /** True if pages of the origin may read responses. */
  readonly allowed: boolean;
  /** True if responses to another origin differ: then `Vary` names `Origin` (NEG-3). */
  readonly varies: boolean;
  readonly resourcePolicy: 'same-origin' | 'cross-origin';
  /** Names and values alternating. */
  readonly headers: readonly string[];
}

/** The decision if CORS is off: only pages of the origin of the API may use responses. */
export const SAME_ORIGIN: OriginAccess = { allowed: false, varies: false, resourcePolicy: 'same-origin', headers: [] };

const EXPOSED = ['Access-Control-Expose-Headers', RESPONSE_FIELDS.join(', ')];
const CREDENTIALS = ['Access-Control-Allow-Credentials', 'true'];

/**
 * Compiles a rule. Where every origin may read, all responses are the same, so that shared caches store one.
 *
 * @returns what the response to a request says
 */
export function compileCors(rule: CorsRule | null): (request: HeaderFields) => OriginAccess {
  if (rule === null) return () => SAME_ORIGIN;
  if (rule.readers === 'anyone') {
    const headers = ['Access-Control-Allow-Origin', '*', ...EXPOSED];
    const access: OriginAccess = { allowed: true, varies: false, resourcePolicy: 'cross-origin', headers };
    return () => access;
  }
  const credentials = rule.readers === 'origins-with-credentials' ? CREDENTIALS : [];
  const accesses = new Map(
    [...rule.origins].map((origin): [string, OriginAccess] => {
      const headers = ['Access-Control-Allow-Origin', origin, ...credentials, ...EXPOSED];
      return [origin, { allowed: true, varies: true, resourcePolicy: 'cross-origin', headers }];
    }),
  );
  const other = { ...SAME_ORIGIN, varies: true };
  return (request) => {
    const origin = request.get('origin');
    return origin === null ? other : (accesses.get(serializedOrigin(origin) ?? '') ?? other);
  };
}

/** The further header fields of the response to a preflight. @param methods of the target */
export function preflightHeaders(methods: readonly string[], maxAge: number): readonly string[] {
  return [
    'Access-Control-Allow-Methods',
    methods.join(', '),
    'Access-Control-Allow-Headers',
    REQUEST_FIELDS.join(', '),
    'Access-Control-Max-Age',
    String(maxAge),
  ];
}
