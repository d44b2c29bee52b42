import { compileCsv } from '../formats/csv.ts';
import type { ObjectType } from '../formats/typed-reader.ts';
import type { Member } from '../model/model.ts';
import type { Expansion } from '../plan/expansion.ts';
import { projectMembers } from '../plan/list/projection.ts';
import type { View } from '../plan/list/view.ts';
import type { CompiledResource, Contract, DocumentTypes } from '../contract/contract.ts';

/** Makes the types of a view, for the formats that need types. */
export function viewTypes(compiled: CompiledResource, view: View, contract: Contract): DocumentTypes {
  const { resource, responseType, csv } = compiled;
  const { projection, expansions } = view;
  const members = projectMembers(responseType.members, projection);
  return {
    resource,
    responseType: withRelations({ kind: 'object', members }, expansions, contract),
    csv:
      projection === null
        ? csv
        : compileCsv({ kind: 'object', members: members.filter(({ name }) => name !== 'links') }),
  };
}

function withRelations(type: ObjectType, expansions: readonly Expansion[], contract: Contract): ObjectType {
  const related = expansions.map(({ relation: { kind, name, target }, nested }): Member => {
    const own = contract.resourceOf(target.name).responseType;
    const item = { type: withRelations(own, nested, contract), nullable: kind === 'one' };
    if (kind === 'one') return { ...item, name, required: false };
    const data: Member = { name: 'data', type: { kind: 'array', item }, nullable: false, required: true };
    return { name, type: { kind: 'object', members: [data] }, nullable: false, required: true };
  });
  return { kind: 'object', members: [...type.members, ...related] };
}
