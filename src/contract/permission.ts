import { type ClearableCache, createCache, joinCaches } from '../cache/cache.ts';
import { ObjectCache } from '../cache/object-cache.ts';
import type { HiddenMembers } from '../model/model-without.ts';
import type { AccessRule, Model } from '../model/model.ts';
import { EVERY_FIELD, type FieldPermission } from '../plan/policy/field-permission.ts';

/**
 * The fields that a caller may use. It is part of every representation, ETag and cache key, and does not identify a
 * caller. Scopes allow or refuse whole operations, so all callers who may read the same fields get the same
 * representation.
 */
export interface Permission {
  /** Equal for two callers that read the same fields. */
  readonly id: string;
  /** The members that the caller may not read. */
  readonly hidden: HiddenMembers;
  /** The permission for the fields of a resource, by its name. */
  fields(resource: string): FieldPermission;
}

/** The permission of a caller that may use every field. */
export const EVERY_PERMISSION: Permission = { id: 'all', hidden: new Map(), fields: () => EVERY_FIELD };

/** The scopes of a caller. If possible, each of its requests has the same object. */
interface ScopedCaller {
  readonly scopes: ReadonlySet<string> | null;
}

/** Maximum number of cached permissions; n scopes that fields require make up to 2^n. */
const MAX_PERMISSIONS = 256;

/** A rule on a field. */
interface GatedField {
  readonly resource: string;
  readonly name: string;
  readonly operation: 'read' | 'write';
  /** The index of its rule. */
  readonly rule: number;
}

/** The permissions of the callers of a contract. */
export interface CallerPermissions {
  /** Computes the permission of a caller, once. */
  readonly find: (caller: ScopedCaller) => Permission;
  readonly cache: ClearableCache;
}

/** Compiles the permissions of the callers of a model; null if the model has no rules on fields. */
export function compilePermissions({ resources }: Pick<Model, 'resources'>): CallerPermissions | null {
  const rules: AccessRule[] = [];
  const gated: GatedField[] = [];
  for (const { name: resource, fieldAccess } of resources.values()) {
    for (const [name, access] of fieldAccess) {
      for (const operation of ['read', 'write'] as const) {
        const rule = access[operation];
        if (rule !== null && rule.kind !== 'public')
          gated.push({ resource, name, operation, rule: findOrAddRule(rules, rule) });
      }
    }
  }
  if (gated.length === 0) return null;
  const reading = new Set(gated.flatMap(({ operation, rule }) => (operation === 'read' ? [rule] : [])));
  const known = createCache<Permission>({ maxWeight: MAX_PERMISSIONS, weigh: () => 1 });
  const byCaller = new ObjectCache<ScopedCaller, Permission>();
  const find = (scopes: ScopedCaller['scopes']): Permission => {
    const fulfilled = rules.map((rule) => fulfils(rule, scopes));
    const key = bits(fulfilled);
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = permission(bits(fulfilled.filter((_is, rule) => reading.has(rule))), gated, fulfilled);
    known.set(key, made);
    return made;
  };
  return {
    find(caller) {
      const before = byCaller.get(caller);
      if (before !== undefined) return before;
      const found = find(caller.scopes);
      byCaller.set(caller, found);
      return found;
    },
    cache: joinCaches([known, byCaller]),
  };
}

/** @param readable the read rules that the caller fulfils, as hexadecimal digits */
function permission(readable: string, gated: readonly GatedField[], fulfilled: readonly boolean[]): Permission {
  const refused = gated.filter(({ rule }) => fulfilled[rule] !== true);
  const hidden = byResource(refused.filter(({ operation }) => operation === 'read'));
  const unwritable = byResource(
    refused.filter(
      ({ operation, resource, name }) => operation === 'write' && hidden.get(resource)?.has(name) !== true,
    ),
  );
  const names = new Set([...hidden.keys(), ...unwritable.keys()]);
  const fields = new Map(
    [...names].map((name): [string, FieldPermission] => [
      name,
      {
        hidden: hidden.get(name) ?? EVERY_FIELD.hidden,
        unwritable: unwritable.get(name) ?? EVERY_FIELD.unwritable,
      },
    ]),
  );
  const id = hidden.size === 0 ? EVERY_PERMISSION.id : readable;
  return { id, hidden, fields: (resource) => fields.get(resource) ?? EVERY_FIELD };
}

function byResource(fields: readonly GatedField[]): ReadonlyMap<string, ReadonlySet<string>> {
  const grouped = Map.groupBy(fields, ({ resource }) => resource);
  return new Map([...grouped].map(([resource, own]) => [resource, new Set(own.map(({ name }) => name))]));
}

/** Finds the index of an equal rule; adds the rule if there is none. */
function findOrAddRule(rules: AccessRule[], rule: AccessRule): number {
  const scope = (each: AccessRule): string | null => (each.kind === 'scope' ? each.scope : null);
  const found = rules.findIndex((each) => each.kind === rule.kind && scope(each) === scope(rule));
  return found === -1 ? rules.push(rule) - 1 : found;
}

/** True if scopes fulfil a rule. @param caller the scopes of an authenticated caller; null for an anonymous one */
export function fulfils(rule: AccessRule, caller: ReadonlySet<string> | null): boolean {
  if (rule.kind === 'public') return true;
  if (caller === null) return false;
  return rule.kind === 'authenticated' || caller.has(rule.scope);
}

/** Writes bits as hexadecimal digits: short, and the same in every process that serves the model. */
function bits(values: readonly boolean[]): string {
  const digits: string[] = [];
  for (let at = 0; at < values.length; at += 4) {
    const four = values.slice(at, at + 4).reduce((sum, value, bit) => sum + (value ? 1 << bit : 0), 0);
    digits.push(four.toString(16));
  }
  return digits.join('');
}
