import type { TokenVerifier } from '../../auth/token-verifier.ts';
import type { CompiledResource, Contract } from '../../contract/contract.ts';
import { fulfils } from '../../contract/permission.ts';
import { findDatabaseCaller, rowsFor } from '../database-role.ts';
import type { Callers } from '../principal.ts';
import { type RowSource, VisibleRows } from '../visible-rows.ts';

/** A bearer token that gives no rows. The message is for the operator who has it. */
export class UnusableToken extends Error {
  override readonly name = 'UnusableToken';
}

/** Parameters of {@link openTokenRows}. */
interface TokenRowsOptions {
  readonly contract: Contract;
  readonly tokens: TokenVerifier;
  readonly callers: Callers;
  readonly store: RowSource;
}

/**
 * Opens the rows that the caller of a bearer token may read, without a request. The resource has only the fields that
 * the caller may read.
 *
 * @throws {UnusableToken} the token is not valid, or lacks the scope
 */
export async function openTokenRows(
  token: string,
  { resource }: Pick<CompiledResource, 'resource'>,
  { contract, tokens, callers, store }: TokenRowsOptions,
): Promise<{ readonly rows: VisibleRows; readonly compiled: CompiledResource }> {
  const verdict = await tokens.verify(token);
  if (verdict.kind === 'unavailable') throw new UnusableToken('the keys of its issuer cannot be read now');
  if (verdict.kind === 'expired') throw new UnusableToken('it has expired');
  if (verdict.kind === 'invalid') throw new UnusableToken(verdict.reason);
  const principal = callers.find(verdict.token);
  const { read } = resource.access;
  if (!fulfils(read, principal.scopes))
    throw new UnusableToken(`reading ${resource.name} needs the scope ${read.kind === 'scope' ? read.scope : ''}`);
  const { contract: permitted } = contract.permitted(principal);
  const source = rowsFor(findDatabaseCaller(contract.model, principal), store);
  const rows = new VisibleRows(source, contract.visibilities(principal));
  return { rows, compiled: permitted.resourceOf(resource.name) };
}
