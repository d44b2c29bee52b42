import { type ListQuery, readListQuery } from '../../plan/list-query.ts';
import { admitParameters, isDryRun, writeParameterRule } from '../../plan/parameters.ts';
import { updateOperation } from './update.ts';
import { createOperation } from './create.ts';
import type { Negotiated } from '../negotiate.ts';
import { deleteOperation } from './delete.ts';
import type { Route } from '../route.ts';
import type { WriteOperation } from './write.ts';

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
    return { operation: createOperation({ request, ...targetOf(route) }, () => defaultQuery(route)), dry };
  }
  const target = { request, ...targetOf(route), id: route.id };
  return { operation: method === 'DELETE' ? deleteOperation(target) : updateOperation(target), dry };
}

/** The collection as GET without parameters returns it. */
function defaultQuery({ compiled, within }: Extract<Route, { kind: 'collection' }>): ListQuery {
  return readListQuery(compiled.list, within, [], false);
}

function targetOf({
  compiled,
  within,
}: Extract<Route, { kind: 'collection' | 'item' }>): Pick<WriteOperation, 'compiled' | 'within'> {
  return { compiled, within };
}
