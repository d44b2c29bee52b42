import type { CompileContext } from '../../document/compile-context.ts';
import type { DatabaseRoleRule } from '../../model.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';
import { hasTable } from '../resources/compile-table.ts';

/** The claim that names the role, as PostgREST and Supabase have it. */
const CLAIM = 'role';

/** The value of `role` that gives a session the role of its login again. No role has this name. */
const NO_ROLE = 'none';

/** The ways to authenticate a caller that has no claims of an issuer. */
const WITHOUT_ROLE: ReadonlyMap<string, string> = new Map([
  ['gateway', 'a gateway names no role of the database'],
  ['api_keys', 'API keys name no role of the database'],
]);

/** True if the statements of callers run as roles of the database, whose rules the model does not know. */
export function hasDatabaseRole(declared: CompileContext['declared']): boolean {
  return readObject(declared['auth'])['database_role'] !== undefined;
}

/**
 * Compiles `auth.database_role`, and reports ways to authenticate that name no role. Null where the model declares
 * none.
 */
export function compileDatabaseRole({ declared, path, report }: CompileContext): DatabaseRoleRule | null {
  if (!hasDatabaseRole(declared)) return null;
  const auth = readObject(declared['auth']);
  for (const [member, cause] of WITHOUT_ROLE)
    if (auth[member] !== undefined && auth[member] !== false)
      report([...path, 'auth', member], cause, `remove ${member}, or database_role`);
  const rule = readObject(auth['database_role']);
  const roles = readStrings(rule['roles']);
  const anonymous = readString(rule['anonymous']);
  if ([...roles, anonymous].includes(NO_ROLE))
    report([...path, 'auth', 'database_role'], `${NO_ROLE} is the role of the server`, 'name roles with fewer rights');
  return { claim: readString(rule['claim']) ?? CLAIM, roles, anonymous };
}

/**
 * Reports resources that roles of the database cannot read: they have no rights on rows that the server stores.
 *
 * @param document the whole document, as it was given
 */
export function checkRoles({ declared, path, report }: CompileContext): void {
  if (!hasDatabaseRole(declared)) return;
  const fix = 'name the table of the resource, or remove auth.database_role';
  const resources = Object.entries(readObject(declared['resources']));
  if (resources.length === 0) report([...path, 'auth', 'database_role'], 'the model has no table', fix);
  for (const [name, each] of resources)
    if (!hasTable(readObject(each)))
      report([...path, 'resources', name], 'database_role holds for tables that exist alone', fix);
}
