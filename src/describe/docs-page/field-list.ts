import { linkName } from '../../model/link-name.ts';
import { listTimes } from '../../model/table-source.ts';
import type { ComputedField, Field, FieldAccess, Model, Resource } from '../../model/model.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { readArray, readObject, readString } from '../../model/values/access.ts';
import { type Html, html } from '../html.ts';
import { fieldNotes, typeWords } from '../page/type-words.ts';
import { accessWords, sectionId } from './docs-content.ts';

type SystemMember = readonly [name: string, type: string, meaning: string];

const TIME_MEANINGS = { created_at: 'when it was created', updated_at: 'when it was changed last' } as const;

/** The members of a resource, with what their values have to fulfill. */
export function fieldList(resource: Resource, { resources }: Pick<Model, 'resources'>): Html {
  const properties = readObject(resource.schema['properties']);
  const { fieldAccess } = resource;
  return html`<ul class="members" data-kind="field">
${memberItem({ name: 'id', type: 'text', notes: [idNote(resource)], target: null, schema: idSchema(resource), access: null })}
${resource.fields.map((field) => memberItem(fieldMember(field, resources, { schema: readObject(properties[field.name]), access: fieldAccess.get(field.name) ?? null, isUnique: isUnique(resource, field) })))}
${resource.computed.map((field) => memberItem(computedMember(field, fieldAccess.get(field.name) ?? null)))}
${systemMembers(resource).map(([name, type, meaning]) => memberItem({ name, type, notes: ['read-only'], target: null, schema: { description: meaning }, access: null }))}
</ul>`;
}

/** The members of a resource that the server sets (REP-12). Revisions of a table that exists do not ascend. */
function systemMembers(resource: Resource): readonly SystemMember[] {
  const changes = resource.table === null ? 'grows with' : 'differs after';
  return [
    ...listTimes(resource).map((name) => [name, 'date-time', TIME_MEANINGS[name]] as const),
    ['revision', 'integer', `${changes} each change; the ETag begins with it`],
    ['links', 'object', 'self, collection and related resources'],
  ];
}

/** A member of a representation, in words. */
interface DescribedMember {
  readonly name: string;
  readonly type: string;
  readonly notes: readonly string[];
  /** The resource that its value refers to. */
  readonly target: Resource | null;
  readonly schema: JsonObject;
  readonly access: FieldAccess | null;
}

function idNote({ id }: Resource): string {
  if (id.kind === 'server') return 'set by the server';
  return id.optional ? 'set by the client, or else by the server; immutable' : 'set by the client, immutable';
}

function idSchema({ id }: Resource): JsonObject {
  return id.kind === 'client' && id.pattern !== null ? { pattern: id.pattern.source } : {};
}

function isUnique({ uniques }: Resource, { name }: Field): boolean {
  return uniques.some((fields) => fields.length === 1 && fields[0] === name);
}

function fieldMember(
  field: Field,
  resources: Model['resources'],
  { isUnique: unique, ...rest }: Pick<DescribedMember, 'schema' | 'access'> & { readonly isUnique: boolean },
): DescribedMember {
  const notes = [
    ...fieldNotes(field, null),
    ...(unique ? ['unique'] : []),
    ...(field.nullable && field.required ? ['nullable'] : []),
    ...(field.shownOnce ? ['shown once, when it is created'] : []),
  ];
  const target = resources.get(field.reference?.resource ?? '') ?? null;
  return { name: field.name, type: typeWords(field.type), notes, target, ...rest };
}

function computedMember({ name, type, schema }: ComputedField, access: FieldAccess | null): DescribedMember {
  return { name, type: typeWords(type), notes: ['computed'], target: null, schema, access };
}

function memberItem({ name, type, notes, target, schema, access }: DescribedMember): Html {
  const description = readString(schema['description']);
  const rules = constraintWords(schema);
  return html`<li><code class="member">${name}</code> <span>${[type, ...notes].join(', ')}${
    target === null ? '' : html`, refers to <a href="#${sectionId(target)}">${linkName(target)}</a>`
  }</span>
${description === null ? '' : html`<span class="about">${description}</span>`}
${rules.length === 0 ? '' : html`<span class="about">${rules}</span>`}
${accessNote(access)}</li>
`;
}

function accessNote(access: FieldAccess | null): Html {
  const rules = [
    ...(access?.read ? [`read: ${accessWords(access.read)}`] : []),
    ...(access?.write ? [`write: ${accessWords(access.write)}`] : []),
  ];
  return rules.length === 0 ? html`` : html`<span class="about">${rules.join(' · ')}</span>`;
}

/** Writes the constraints of a JSON Schema besides its type, as words and values. */
export function constraintWords(schema: JsonObject): readonly Html[] {
  const items = readObject(schema['items']);
  const allowed = readArray(schema['enum'] ?? items['enum']);
  const parts: readonly Html[] = [
    ...(allowed.length === 0 ? [] : [html`one of ${separated(allowed.map(literalCode))}`]),
    ...range(schema, ['minLength', 'maxLength'], 'character'),
    ...range(schema, ['minimum', 'maximum'], ''),
    ...range(schema, ['minItems', 'maxItems'], 'item'),
    ...range(schema, ['minProperties', 'maxProperties'], 'member'),
    ...keywordWords(schema, 'exclusiveMinimum', 'greater than'),
    ...keywordWords(schema, 'exclusiveMaximum', 'less than'),
    ...keywordWords(schema, 'multipleOf', 'a multiple of'),
    ...keywordWords(schema, 'x-precision', 'digits in all:'),
    ...keywordWords(schema, 'x-scale', 'digits after the point:'),
    ...(schema['uniqueItems'] === true ? [html`no item twice`] : []),
    ...keywordWords(schema, 'pattern', 'matches'),
    ...keywordWords(items, 'pattern', 'items match'),
    ...keywordWords(schema, 'const', 'always'),
    ...keywordWords(schema, 'default', 'default'),
  ];
  return separated(parts);
}

/** @param unit of one; empty for numbers */
function range(schema: JsonObject, [least, most]: readonly [string, string], unit: string): readonly Html[] {
  const [min, max] = [schema[least], schema[most]];
  const units = unit === '' ? '' : ` ${unit}${(max ?? min) === 1 ? '' : 's'}`;
  if (min !== undefined && max !== undefined) return [html`${literalCode(min)} to ${literalCode(max)}${units}`];
  if (min !== undefined) return [html`at least ${literalCode(min)}${units}`];
  return max === undefined ? [] : [html`at most ${literalCode(max)}${units}`];
}

function keywordWords(schema: JsonObject, keyword: string, words: string): readonly Html[] {
  const value = schema[keyword];
  return value === undefined ? [] : [html`${words} ${literalCode(value)}`];
}

/** Strings without their quotation marks, where they have any character. */
function literalCode(value: Json): Html {
  return html`<code>${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}</code>`;
}

function separated(parts: readonly Html[]): readonly Html[] {
  return parts.map((part, index) => (index === 0 ? part : html`, ${part}`));
}
