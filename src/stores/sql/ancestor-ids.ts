import type { Model, Resource, ValueType } from '../../model/model.ts';
import { aboveReference, keyMembers } from '../../model/row-key.ts';
import { idType, referenceFields } from './columns.ts';
import type { Dialect } from './dialect.ts';

/** A resource above another one, and the expression of its row's id. */
export interface AncestorId {
  readonly resource: string;
  readonly id: string;
}

/** The parts from which the expressions are generated. */
export interface AncestorContext {
  readonly resources: Model['resources'];
  readonly dialect: Pick<Dialect, 'quote'>;
}

/** An alias: no resource name has a space. */
const ROW_ABOVE = 'row above';
const ROW_REFERRED_TO = 'row referred to';

/** A member of the row that an expression identifies, as a subquery. */
function selectMember(
  { dialect: { quote } }: AncestorContext,
  { alias, resource }: { readonly alias: string; readonly resource: string },
  key: readonly (readonly [member: string, id: string])[],
): (member: string) => string {
  const found = key.map(([member, id]) => `${quote(alias)}.${quote(member)} = ${id}`).join(' and ');
  return (member) =>
    `(select ${quote(alias)}.${quote(member)} from ${quote(resource)} as ${quote(alias)} where ${found})`;
}

/**
 * The ids above a row, nearest first: the row itself holds the key of its parent, the parent's row what is missing
 * there.
 *
 * @param member the expression of a member of the row
 */
export function ancestorIds(
  context: AncestorContext,
  { parent, parentKey }: Resource,
  member: (name: string) => string,
): readonly AncestorId[] {
  const above = context.resources.get(parent?.resource ?? '');
  if (above === undefined) return [];
  const key = keyMembers(above).map((name, index) => [name, member(parentKey[index] ?? '')] as const);
  const held = new Map(key);
  const read = selectMember(context, { alias: ROW_ABOVE, resource: above.name }, key);
  return [
    { resource: above.name, id: held.get('id') ?? '' },
    ...ancestorIds(context, above, (name) => held.get(name) ?? read(name)),
  ];
}

/**
 * The ids above the row that a field refers to by its id alone, nearest first.
 *
 * @param id the expression of the field
 */
export function ancestorIdsOfReference(context: AncestorContext, target: Resource, id: string): readonly AncestorId[] {
  const read = selectMember(context, { alias: ROW_REFERRED_TO, resource: target.name }, [['id', id]]);
  return ancestorIds(context, target, read);
}

/** A table that names its columns in a statement. */
interface SelectedTable {
  readonly column: (name: string) => string;
}

/** A member of a row in a select list. */
export interface SelectedMember {
  readonly name: string;
  readonly text: string;
  /** The field that it belongs to: the member itself, or the reference whose ancestors it has. */
  readonly of: string;
  readonly type: ValueType;
}

/**
 * The ids above the rows that fields refer to, for their links (REP-9): parents never change, so that nothing else has
 * to store them.
 */
export function referenceSelections(
  resource: Resource,
  context: AncestorContext,
  table: SelectedTable,
): readonly SelectedMember[] {
  return referenceFields(resource).flatMap(({ field, target }) => {
    const referred = context.resources.get(target);
    const isShared = field === resource.parent?.field || resource.field.get(field)?.reference?.siblings === true;
    if (referred === undefined || isShared) return [];
    return ancestorIdsOfReference(context, referred, table.column(field)).map(({ id, resource: above }, level) => {
      const name = aboveReference(field, level);
      const type = idType(context.resources.get(above) ?? referred);
      return { name, of: field, type, text: `${id} as ${context.dialect.quote(name)}` };
    });
  });
}

export function joinSelections(selections: readonly { readonly text: string }[]): string {
  return selections.map(({ text }) => text).join(', ');
}
