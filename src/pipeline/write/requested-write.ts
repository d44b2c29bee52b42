import { type ListQuery, readListQuery } from '../../plan/list/list-query.ts';
import { admitParameters, isDryRun, writeParameterRule } from '../../plan/parameters.ts';
import { updateOperation } from './update.ts';
import { createOperation } from './create.ts';
import type { Negotiated } from '../negotiate.ts';
import { deleteOperation } from './delete.ts';
import type { Route } from '../route.ts';
import type { WriteOperation, WriteTarget } from './write.ts';

/** A write, and whether it is a dry run (MET-14). */
export interface RequestedWrite {
  readonly operation: WriteOperation;
  readonly dry: boolean;
}

/**
 * The write of a request to a collection or a resource (step 12).
 *
 * @throws {ApiError} REQUEST_PARAMETER_*, QUERY_*, PAGINATION_*
 */
export function requestedWrite(request: Negotiated): RequestedWrite {
  const { route, method, parameters, preferences } = request;
  const lenient = preferences.handling === 'lenient';
  if (route.kind !== 'collection' && route.kind !== 'item') throw new Error(`a ${route.kind} is never written`);
  const dry = isDryRun(admitParameters(parameters, writeParameterRule, lenient));
  if (route.kind === 'collection') {
    return { operation: createOperation(targetOf(request, route), () => defaultQuery(route)), dry };
  }
  const target = { ...targetOf(request, route), id: route.id };
  return { operation: method === 'DELETE' ? deleteOperation(target) : updateOperation(target), dry };
}

/** The collection as GET without parameters returns it. */
function defaultQuery({ compiled, within }: Extract<Route, { kind: 'collection' }>): ListQuery {
  return readListQuery(compiled.list, within, [], false);
}

/** A body is what its caller may write, in its contract; what it changes is the stored row with all its fields. */
function targetOf(
  request: Negotiated,
  { compiled: shown, within }: Extract<Route, { kind: 'collection' | 'item' }>,
): WriteTarget {
  const contract = request.contract.unrestricted();
  const isWhole = contract === request.contract;
  const whole = isWhole ? request : { ...request, contract, rows: request.rows.stored() };
  const compiled = contract.resourceOf(shown.resource.name);
  return { request: whole, contract: request.contract, compiled, shown, within };
}
