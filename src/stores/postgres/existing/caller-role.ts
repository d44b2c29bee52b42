import type { DatabaseCaller } from '../../../plan/write-unit.ts';
import type { Statement } from '../../sql/dialect.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { RoleForbidden } from '../../store.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { failedIn, sqlState } from '../driver/postgres-errors.ts';

/** The names are values of the statement, so that none needs quotes. Both last until the transaction ends. */
const BECOME = `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`;

/** Judges deferred constraints before the transaction ends. */
export const JUDGE_DEFERRED: Statement = { text: 'set constraints all immediate', values: [] };

/** Judges deferred constraints as the caller, and gives the transaction the role of the session again. */
export const RESIGN: readonly Statement[] = [
  JUDGE_DEFERRED,
  { text: `select set_config('role', 'none', true)`, values: [] },
];

/** The code of a right that is missing. */
const NO_RIGHT = '42501';

/** True for a right that is missing, and for a role that does not exist. Functions fail with its code, too. */
function isForbidden(error: unknown): boolean {
  const state = sqlState(error);
  return state === NO_RIGHT || (state === '22023' && failedIn(error) === 'call_string_check_hook');
}

/** The statement by which the rest of a transaction runs as a caller. @throws {RoleForbidden} for one without a role */
export function becomeCaller(caller: DatabaseCaller): Statement {
  if (caller.role === null) throw new RoleForbidden(caller);
  return { text: BECOME, values: [caller.role, caller.claims] };
}

/** The error to report for one of a statement of a caller. */
export function callerError(error: unknown, caller: DatabaseCaller): unknown {
  return isForbidden(error) ? new RoleForbidden(caller, { cause: error }) : error;
}

/** Reports roles that do not exist, or that the role of a session may not become. */
export async function roleProblems(session: PostgresConnection, roles: readonly string[]): Promise<readonly string[]> {
  const { rows } = await session.query('select session_user::text as name');
  const own = quoteName(String(rows[0]?.['name']));
  const problems: string[] = [];
  for (const role of roles) {
    await session.query('begin');
    try {
      await session.query(BECOME, [role, '{}']);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const name = quoteName(role);
      const fix = sqlState(error) === NO_RIGHT ? `grant ${name} to ${own};` : `create role ${name} nologin;`;
      problems.push(`auth.database_role: the server may not become the role ${role}: ${fix}`);
    } finally {
      await session.query('rollback');
    }
  }
  return problems;
}
