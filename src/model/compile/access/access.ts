import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { AccessOperation, AccessRule, ResourceAccess } from '../../model.ts';
import { readObject, readString } from '../../values/access.ts';

const PUBLIC: AccessRule = { kind: 'public' };

/** The access of a model without authentication. */
export const OPEN_ACCESS: ResourceAccess = { read: PUBLIC, create: PUBLIC, update: PUBLIC, delete: PUBLIC };

/** The sources of the access rules of a resource. */
interface AccessInputs {
  readonly collection: string;
  /** The access of the parent, which a child inherits; null for a resource without one. */
  readonly parent: ResourceAccess | null;
  /** True if the model has an `auth` section. */
  readonly hasAuth: boolean;
}

/**
 * Compiles the access rules of a resource (AUTH-4): `read`, and `write` or each of `create`, `update` and `delete`.
 * What is not declared is the rule of the parent, else the scope `{collection}:read` or `{collection}:write`.
 */
export function compileAccess(
  { declared, path, report }: CompileContext,
  { collection, parent, hasAuth }: AccessInputs,
): ResourceAccess {
  const access = readObject(declared['access']);
  if (!hasAuth) {
    if (declared['access'] !== undefined) {
      report(
        [...path, 'access'],
        'access rules need auth: without it no caller is known',
        'remove it, or declare auth',
      );
    }
    return OPEN_ACCESS;
  }
  const inherited = parent ?? defaultAccess(collection);
  const rule = (operation: AccessOperation): AccessRule => {
    const own = access[operation] ?? (operation === 'read' ? undefined : access['write']);
    return own === undefined ? inherited[operation] : readAccessRule(own);
  };
  return { read: rule('read'), create: rule('create'), update: rule('update'), delete: rule('delete') };
}

function defaultAccess(collection: string): ResourceAccess {
  const write: AccessRule = { kind: 'scope', scope: `${collection}:write` };
  return { read: { kind: 'scope', scope: `${collection}:read` }, create: write, update: write, delete: write };
}

/** The rule that is declared; the document schema admits nothing else. */
export function readAccessRule(declared: Json): AccessRule {
  if (declared === 'public') return PUBLIC;
  const scope = isJsonObject(declared) ? readString(declared['scope']) : null;
  return scope === null ? { kind: 'authenticated' } : { kind: 'scope', scope };
}
