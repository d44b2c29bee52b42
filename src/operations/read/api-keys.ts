import { isJsonObject } from '../../conventions/json/json.ts';
import type { StoredApiKey } from '../../auth/api-keys.ts';
import type { ListRead, Row } from '../../plan/plan.ts';
import type { VisibleRows } from '../visible-rows.ts';

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

/** Keys that were made with one another, at most. One of a longer chain is not accepted. */
const MAX_ANCESTORS = 32;

/**
 * Ends a key with those that it was made with: it expires with the first of them.
 *
 * @returns null if one of them is revoked
 */
export async function limitByParents(
  row: Row,
  resource: string,
  rows: Pick<VisibleRows, 'item'>,
): Promise<StoredApiKey | null> {
  let expires = Number.POSITIVE_INFINITY;
  let parent: Row = row;
  for (let depth = 0; depth < MAX_ANCESTORS; depth += 1) {
    expires = Math.min(expires, storedApiKey(parent).expiresAt ?? expires);
    const id = findParent(parent);
    if (id === null) return { ...storedApiKey(row), expiresAt: Number.isFinite(expires) ? expires : null };
    const above = await rows.item({ resource, id, within: [] });
    if (above === null) return null;
    parent = above;
  }
  return null;
}

/** Finds the id of the key that a key was made with; null if it was made with other credentials. */
export function findParent({ parent_id: parent }: Row): string | null {
  return typeof parent === 'string' ? parent : null;
}
