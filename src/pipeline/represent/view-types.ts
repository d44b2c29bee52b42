import type { ResponseFormat } from '../../conventions/response-format.ts';
import { apiError } from '../../conventions/errors.ts';
import { compileCsv } from '../../formats/csv.ts';
import type { ObjectType } from '../../formats/typed-reader.ts';
import type { Member } from '../../model/model.ts';
import type { Expansion } from '../../plan/expansion.ts';
import { projectMembers } from '../../plan/projection.ts';
import type { View } from '../../plan/view.ts';
import type { CompiledResource, DocumentTypes } from '../contract.ts';
import type { Surroundings } from '../surroundings.ts';

/** The types of what a view tells, for the formats that write by them. */
export function viewTypes(compiled: CompiledResource, view: View, surroundings: Surroundings): DocumentTypes {
  const { resource, responseType, csv } = compiled;
  const { projection, expansions } = view;
  if (projection === null && expansions.length === 0) return compiled;
  const members = projectMembers(responseType.members, projection);
  return {
    resource,
    responseType: withRelations({ kind: 'object', members }, expansions, surroundings),
    csv:
      projection === null
        ? csv
        : compileCsv({ kind: 'object', members: members.filter(({ name }) => name !== 'links') }),
  };
}

/** @throws {ApiError} QUERY_EXPAND_INVALID where the format has no room for related rows: a line of CSV is one resource */
export function checkRoom(format: ResponseFormat, { expansions }: View): void {
  if (format !== 'csv' || expansions.length === 0) return;
  const message =
    'CSV has one line for each resource and no room for related ones; ask for another type, or expand nothing.';
  throw apiError('QUERY_EXPAND_INVALID', message, { details: [{ field: 'expand', message: 'cannot be told as CSV' }] });
}

function withRelations(type: ObjectType, expansions: readonly Expansion[], surroundings: Surroundings): ObjectType {
  const related = expansions.map(({ relation: { kind, name, target }, nested }): Member => {
    const own = surroundings.compiled.resources.get(target.name)?.responseType ?? { kind: 'object', members: [] };
    const item = { type: withRelations(own, nested, surroundings), nullable: kind === 'one' };
    if (kind === 'one') return { ...item, name, required: false };
    const data: Member = { name: 'data', type: { kind: 'array', item }, nullable: false, required: true };
    return { name, type: { kind: 'object', members: [data] }, nullable: false, required: true };
  });
  return { kind: 'object', members: [...type.members, ...related] };
}
