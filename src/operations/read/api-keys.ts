import { isJsonObject } from '../../conventions/json/json.ts';
import type { StoredApiKey } from '../../auth/api-keys.ts';
import type { ListRead, Row } from '../../plan/plan.ts';

/** Maximum number of keys with one prefix: no more begin with the same 48 random bits. */
const LIMIT = 10;

/** Finds the API keys with a prefix. @param resource name of their resource */
export function apiKeysRead(resource: string, prefix: string): ListRead {
  return {
    kind: 'list',
    resource,
    within: [],
    filter: [{ path: 'prefix', operator: 'in', values: [prefix] }],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: null, backward: false, limit: LIMIT },
    count: { kind: 'none' },
    effort: 'light',
  };
}

/** Reads an API key from its row. */
export function storedApiKey(row: Row): StoredApiKey {
  const { id, key, subject, scopes, claims, expires_at: expires } = row;
  return {
    id,
    digest: typeof key === 'string' ? key : '',
    subject: typeof subject === 'string' ? subject : '',
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    claims: isJsonObject(claims ?? null) ? Object(claims) : {},
    expiresAt: typeof expires === 'string' ? Date.parse(expires) : null,
  };
}
