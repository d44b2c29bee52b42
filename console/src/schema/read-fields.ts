import type { ApiField, FieldKind, Reference, ValueLimits } from './api-schema.ts';
import { asList, asRecord, asText, asTexts, isRecord, type JsonRecord } from './json-access.ts';

/** The schemas of one resource, each with its members in order. */
export interface ResourceSchemas {
  /** The items of responses. */
  readonly item: JsonRecord;
  /** The response to a creation, which shows secrets once. */
  readonly created: JsonRecord;
  /** The body of a creation; empty if there is none. */
  readonly create: JsonRecord;
  /** The body of a replacement; null if the document has none of its own. */
  readonly replace: JsonRecord | null;
  readonly patch: JsonRecord;
}

/** The members that every item has. */
const SYSTEM: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at', 'revision']);

/** A text that may be longer is written in several lines. */
const LINE_LENGTH = 255;

const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'maxProperties',
] as const;

/**
 * The fields of a resource: the members of its items, then what only requests or the first response have.
 *
 * @param relations the names of members that `expand` embeds
 */
export function readFields(
  schemas: ResourceSchemas,
  relations: ReadonlySet<string>,
  references: ReadonlyMap<string, Reference>,
): readonly ApiField[] {
  const items = propertiesIn(schemas.item);
  const created = propertiesIn(schemas.created);
  const create = propertiesIn(schemas.create);
  const names = new Set([...Object.keys(items), ...Object.keys(created), ...Object.keys(create)]);
  const fields = [...names]
    .filter((name) => name !== 'links' && !relations.has(name))
    .map((name) => {
      const field = readField(name, name, asRecord(create[name] ?? items[name] ?? created[name]));
      const shown = asRecord(items[name] ?? created[name]);
      const reference = references.get(name) ?? null;
      return {
        ...field,
        ...(reference === null ? {} : { kind: 'reference' as const, reference }),
        ...usage(name, schemas),
        nullable: acceptsNull(name in create ? asRecord(create[name]) : shown),
        system: SYSTEM.has(name),
      };
    });
  return Object.freeze([...fields.filter(({ system }) => !system), ...fields.filter(({ system }) => system)]);
}

function usage(name: string, { item, created, create, replace, patch }: ResourceSchemas) {
  const isShown = name in propertiesIn(item);
  const isSent = name in propertiesIn(create);
  const isChanged = name in propertiesIn(patch);
  const isRequired = asTexts(create['required']).includes(name);
  const isSecret = !isShown && !(name in propertiesIn(created));
  return {
    required: isRequired,
    readOnly: !isSent && (!isChanged || SYSTEM.has(name)),
    writeOnly: isSecret,
    shownOnce: !isShown && name in propertiesIn(created),
    immutable:
      name === 'id' ||
      (isSent && !isChanged) ||
      (isRequired && !isSecret && replace !== null && !asTexts(replace['required']).includes(name)),
  };
}

function propertiesIn(schema: JsonRecord): JsonRecord {
  return asRecord(schema['properties']);
}

/** One value with everything inside of it. */
function readField(name: string, path: string, schema: JsonRecord): ApiField {
  const kind = readKind(schema);
  const options = Array.isArray(schema['enum']) ? schema['enum'].filter((each) => each !== null) : null;
  return {
    name,
    path,
    title: asText(schema['title']) ?? titleFor(name),
    description: asText(schema['description']),
    kind,
    nullable: acceptsNull(schema),
    required: false,
    readOnly: schema['readOnly'] === true,
    immutable: false,
    writeOnly: schema['writeOnly'] === true,
    shownOnce: false,
    system: false,
    default: schema['default'],
    options,
    reference: null,
    mediaType: kind === 'binary' ? (asText(schema['contentMediaType']) ?? 'application/octet-stream') : null,
    item: readInner(kind, path, schema),
    members: kind === 'object' ? readMembers(path, schema) : [],
    limits: readLimits(schema),
  };
}

function readMembers(path: string, schema: JsonRecord): readonly ApiField[] {
  const required = new Set(asTexts(schema['required']));
  return Object.entries(propertiesIn(schema)).map(([name, member]) => ({
    ...readField(name, `${path}.${name}`, asRecord(member)),
    required: required.has(name),
  }));
}

function readInner(kind: FieldKind, path: string, schema: JsonRecord): ApiField | null {
  if (kind === 'list') return readField('item', path, asRecord(schema['items']));
  if (kind === 'map') return readField('value', path, asRecord(schema['additionalProperties']));
  return null;
}

function readLimits(schema: JsonRecord): ValueLimits {
  return Object.fromEntries(LIMITS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])));
}

function acceptsNull(schema: JsonRecord): boolean {
  const type = schema['type'];
  return type === undefined ? !isRecord(schema['not']) : asTexts(type).includes('null');
}

/** The kind of a value. One with several types, or none, is any JSON. */
function readKind(schema: JsonRecord): FieldKind {
  const types = asTexts(schema['type']).filter((each) => each !== 'null');
  // A number that is read from digits, or an id that may be sent as a number.
  const type = types.length === 2 && types.includes('string') && types.includes('integer') ? 'string' : types[0];
  if (type === undefined || (types.length > 1 && type !== 'string') || types.length > 2) return 'json';
  if (asList(schema['enum']).length > 0) return 'enum';
  switch (type) {
    case 'string':
      return readTextKind(schema);
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    case 'array':
      return 'list';
    case 'object':
      return 'properties' in schema ? 'object' : isRecord(schema['additionalProperties']) ? 'map' : 'json';
    default:
      return 'json';
  }
}

/** The pattern by which a document describes integers of 64 bits. */
const INT64 = '^-?0*[0-9]{1,19}$';

function readTextKind(schema: JsonRecord): FieldKind {
  const format = asText(schema['format']);
  if (schema['contentEncoding'] !== undefined) return 'binary';
  switch (format) {
    case 'date':
    case 'time':
    case 'date-time':
    case 'decimal':
      return format;
    case null:
      if (schema['pattern'] === INT64) return 'int64';
      return typeof schema['maxLength'] === 'number' && schema['maxLength'] > LINE_LENGTH ? 'text' : 'string';
    default:
      return 'string';
  }
}

/** A name for people: `Supplier id` of `supplier_id`. */
export function titleFor(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
