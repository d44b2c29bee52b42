import type { ApiError } from '../conventions/errors.ts';
import type { Contract } from '../contract/contract.ts';
import type { Permission } from '../contract/permission.ts';
import type { AccessRule } from '../model/model.ts';
import type { Principal } from './principal.ts';
import type { Quota } from './quota.ts';
import type { VisibleRows } from './visible-rows.ts';

/** The half of a request that reads and writes need: its caller, and the rows and operations that it may use. */
export interface Caller {
  /** The contract of its version, without the fields that it may not read. */
  readonly contract: Contract;
  /** The only way to rows. */
  readonly rows: VisibleRows;
  readonly principal: Principal;
  /** The fields that it may use. */
  readonly permission: Permission;
  /** The error of a caller that does not fulfil all rules: AUTH_REQUIRED, AUTH_SCOPE_INSUFFICIENT; else null. */
  readonly accessError: (rules: readonly AccessRule[]) => ApiError | null;
  /** The bucket that its operations and lines take from; null without rate limits. */
  readonly quota: Quota | null;
  /** The ids by which its events and errors can be found. */
  readonly trace: CallTrace;
}

/** The ids of one request. */
export interface CallTrace {
  readonly correlationId: string;
  readonly traceId: string;
  /** The name that an agent gives itself; null for other callers. Default: null. */
  readonly agent?: string | null;
}

/** The part of a caller that a read of rows needs. */
export type Reader = Pick<Caller, 'rows' | 'contract'>;

/** Requires that the caller fulfils all rules. @throws {ApiError} AUTH_REQUIRED, AUTH_SCOPE_INSUFFICIENT */
export function requireAccess({ accessError }: Pick<Caller, 'accessError'>, rules: readonly AccessRule[]): void {
  const error = accessError(rules);
  if (error !== null) throw error;
}
