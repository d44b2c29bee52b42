import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { PolicyFunction } from '../../policy.ts';
import { type HookServices, refuse, type WriteInfo } from '../../hooks.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';
import { disableKeyWebhooks } from './webhook-hooks.ts';
import { webhookResources } from './webhooks.ts';

type KeyContext = HookServices & WriteInfo;

/** The collection of API keys, where `system` does not rename it. */
const COLLECTION = 'api-keys';

/** A scope (RFC 6749 3.3). */
const SCOPE: JsonObject = { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' };

/** API keys, declared like any resource (AUTH-8). */
const API_KEYS: JsonObject = {
  singular: 'api_key',
  schema: {
    type: 'object',
    required: ['name', 'scopes'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 100 },
      subject: { type: 'string', minLength: 1, maxLength: 255, 'x-immutable': true },
      scopes: { type: 'array', items: SCOPE, minItems: 1, maxItems: 100, uniqueItems: true, 'x-immutable': true },
      claims: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 50, 'x-immutable': true },
      expires_at: { type: 'string', format: 'date-time' },
      parent_id: { type: 'string', readOnly: true },
      prefix: { type: 'string' },
      key: { type: 'string', 'x-shown-once': true },
    },
  },
  generated: { key: { secret: 'rw_', hint: 'prefix' } },
  indexes: ['prefix', 'parent_id'],
};

/** The name of the resource of API keys; null where the model has none. */
export function apiKeysName(document: CompileContext['declared']): string | null {
  if (readObject(document['auth'])['api_keys'] !== true) return null;
  return (readString(readObject(document['system'])[COLLECTION]) ?? COLLECTION).replaceAll('-', '_');
}

/** Adds the resource of API keys to a document that has them, and its code. Reports a resource that has its name. */
export function withApiKeys<T extends UncheckedCode>(
  document: CompileContext,
  code: ReadonlyMap<string, T | UncheckedCode>,
): { readonly document: CompileContext; readonly code: ReadonlyMap<string, T | UncheckedCode> } {
  const name = apiKeysName(document.declared);
  if (name === null) return { document, code };
  const resources = readObject(document.declared['resources']);
  if (name in resources) {
    const fix = 'rename it, or set another name for the collection of API keys: system: { api-keys: keys }';
    document.report(['resources', name], `${name} is the collection of API keys`, fix);
    return { document, code };
  }
  const declared = { ...document.declared, resources: { ...resources, [name]: API_KEYS } };
  const rules = Object.values(resources).some(restrictsRows) ? { rows: ownKeys(name) } : {};
  return {
    document: { ...document, declared },
    code: new Map([
      ...code,
      [name, { validate: null, before: { create: limitKey(name), delete: revokeMade(name, document) }, ...rules }],
    ]),
  };
}

/** Keys that are revoked with one that made them, in its transaction. Further ones are refused, and still listed. */
const MAX_REVOKED = 1_000;
/** Rows that a hook reads at a time. */
const PAGE = 100;

/** Revokes the keys that were made with a key, at any distance, and disables the webhooks that were made with them. */
function revokeMade(
  name: string,
  { declared }: CompileContext,
): (row: JsonObject, context: KeyContext) => Promise<void> {
  const webhooks = webhookResources(declared);
  return async (row, context) => {
    const id = readString(row['id']) ?? '';
    const made = await listMade(name, id, context);
    for (const each of made) await context.writes.delete(name, each);
    if (webhooks === null) return;
    for (const each of [id, ...made]) await disableKeyWebhooks(each, webhooks, context);
  };
}

/** Lists the ids of the keys that were made with a key, at any distance, the nearest first. */
async function listMade(name: string, key: string, { system }: KeyContext): Promise<readonly string[]> {
  const made = new Set<string>();
  const parents = [key];
  for (const parent of parents) {
    for (let last: string | null = ''; last !== null && made.size < MAX_REVOKED; ) {
      const after = last === '' ? {} : { 'id[gt]': last };
      const page = await system.list(name, { parent_id: parent, sort: 'id', limit: PAGE, ...after });
      const found = page.map(({ id }) => id).filter((id) => !made.has(id));
      for (const id of found) made.add(id);
      parents.push(...found);
      last = page.at(-1)?.id ?? null;
    }
  }
  return [...made];
}

/** The scope that manages the keys of every subject. @param name of the resource of keys */
function adminScope(name: string): string {
  return `${name.replaceAll('_', '-')}:admin`;
}

/**
 * Limits callers to the keys of their own subject if rows depend on the caller: to read, change and revoke them.
 * If callers differ in scopes alone, the scopes of the collection decide.
 */
function ownKeys(name: string): NonNullable<UncheckedCode['rows']> {
  const admin = adminScope(name);
  return new Map<string, PolicyFunction>([
    ['read', ({ subject, scopes }) => scopes?.has(admin) === true || { subject }],
    // `limitToCaller` judges new keys, with an error that names the cause.
    ['create', () => true],
  ]);
}

/** True if a resource declares the rows that a caller may access. */
function restrictsRows(declared: Json): boolean {
  const { rows, owner } = readObject(readObject(declared)['access']);
  return rows !== undefined || owner !== undefined;
}

/** Limits a new key to what its creator may do, and to the time until the key of its creator expires. */
function limitKey(name: string): (draft: JsonObject, context: HookServices & WriteInfo) => Promise<JsonObject> {
  const limit = limitToCaller(name);
  return async (draft, context) => {
    const limited = limit(draft, context);
    const { key } = context.caller;
    if (key === null) return limited;
    const parent = await context.system.get(name, key);
    const [own, end] = [readString(draft['expires_at']), readString(parent?.['expires_at'] ?? null)];
    if (own !== null && end !== null && Date.parse(own) > Date.parse(end))
      refuse('INVALID', `A key that is made with a key expires no later than that one, at ${end}.`, [
        { field: 'expires_at', message: `must not be after ${end}` },
      ]);
    return { ...limited, parent_id: key, expires_at: own ?? end };
  };
}

/**
 * A key has no scope that its creator lacks, and its creator's subject and claims: policies judge rows by them. For
 * other ones the creator needs the scope `api-keys:admin`.
 *
 * @param name of the resource of keys
 */
function limitToCaller(name: string): (draft: JsonObject, info: WriteInfo) => JsonObject {
  const admin = adminScope(name);
  return (draft, { caller }) => {
    const missing = readStrings(draft['scopes']).filter((scope) => caller.scopes?.has(scope) !== true);
    if (missing.length > 0) {
      const message = `A key can have only scopes of its creator, who lacks ${missing.join(' and ')}.`;
      refuse('FORBIDDEN', message, [{ field: 'scopes', message: 'must be scopes of the caller' }]);
    }
    const subject = draft['subject'] ?? caller.subject;
    const foreign = Object.entries(readObject(draft['claims'])).filter(
      ([claim, value]) => caller.claims[claim] !== value,
    );
    const details = [
      ...(subject === caller.subject ? [] : [{ field: 'subject', message: 'must be the subject of the caller' }]),
      ...foreign.map(([claim]) => ({ field: `claims.${claim}`, message: 'must be a claim of the caller' })),
    ];
    if (details.length > 0 && caller.scopes?.has(admin) !== true)
      refuse(
        'FORBIDDEN',
        `A key acts for its creator; another subject or other claims need the scope ${admin}.`,
        details,
      );
    return { ...draft, subject };
  };
}
