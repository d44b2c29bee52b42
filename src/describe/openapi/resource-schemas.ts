import type { JsonObject } from '../../conventions/json/json.ts';
import type { ComputedField, Field, Resource } from '../../model/model.ts';
import { needsId, needsValue } from '../../model/needs-value.ts';
import { allowNull, listTimes } from '../../model/table-source.ts';
import { readObject } from '../../model/values/access.ts';
import { words } from '../surface/placed-resource.ts';
import { requireResource } from '../surface/surface.ts';
import { wrapPage } from './api-schemas.ts';
import { type Description, ID_SCHEMA, isShort, schemaName } from './described-resource.ts';
import { exampleForm, writeExample, exampleResource } from './examples.ts';
import { memberSchemas, nullable, type SchemaUse, SENT_ID, valueSchema } from '../value-schema.ts';

const TIME: JsonObject = { type: 'string', format: 'date-time', readOnly: true };
const ROW_REVISION: JsonObject = {
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  readOnly: true,
  description: 'Grows with every change; the first part of the ETag.',
};

/** The same without words, and links without their names. */
const SHORT_REVISION: JsonObject = { type: 'integer', readOnly: true };
const LINKS: JsonObject = {
  type: 'object',
  additionalProperties: { type: 'string', format: 'uri-reference' },
  readOnly: true,
};

/** A resource as responses have it: every member is present (REP-4). */
export function wholeSchema(resource: Resource, description: Description): JsonObject {
  return description.components.ref('schemas', schemaName(resource, ''), () =>
    responseSchema(resource, description, {
      fields: requireResource(description.surface, resource).readable,
      use: 'response',
    }),
  );
}

/** A resource as the response that creates it has it: with the values that no other response shows (REP-11). */
export function createdSchema(resource: Resource, description: Description): JsonObject {
  if (!resource.fields.some(({ shownOnce }) => shownOnce)) return wholeSchema(resource, description);
  const fields = resource.fields.filter(({ writeOnly, shownOnce }) => !writeOnly || shownOnce);
  return description.components.ref('schemas', schemaName(resource, 'Created'), () =>
    responseSchema(resource, description, { fields, use: 'response' }),
  );
}

/** A resource as a read has it: whole, or what `fields` selects (QRY-4). */
export function readSchema(resource: Resource, description: Description): JsonObject {
  if (isShort(description)) return wholeSchema(resource, description);
  const selection = description.components.ref('schemas', schemaName(resource, 'Selection'), () => ({
    ...responseSchema(resource, description, {
      fields: requireResource(description.surface, resource).readable,
      use: 'selection',
    }),
    description: `The members of ${words(resource.singular)} that the parameter fields selects.`,
  }));
  const whole = wholeSchema(resource, description);
  return description.components.ref('schemas', schemaName(resource, 'Representation'), () => ({
    anyOf: [whole, selection],
    description: 'The resource; where the parameter fields is sent, its selected members.',
  }));
}

/** One page of a collection (PAGE-1). */
export function pageSchema(resource: Resource, description: Description): JsonObject {
  const { components } = description;
  return components.ref('schemas', schemaName(resource, 'Page'), () =>
    wrapPage(
      {
        item: readSchema(resource, description),
        most: description.contract.model.limits.page.max,
        example: exampleResource(resource, requireResource(description.surface, resource).readable),
      },
      components,
    ),
  );
}

/** A body of a request with all its members: to create a resource, or to replace it. */
export function bodySchema(resource: Resource, description: Description, suffix: 'Create' | 'Replace'): JsonObject {
  return description.components.ref('schemas', schemaName(resource, suffix), () => {
    const fields = requireResource(description.surface, resource).writable;
    const isKept = (field: Field): boolean =>
      suffix === 'Replace' && (field.writeOnly || field.immutable || field.name === resource.state?.field);
    const required = fields.filter((field) => needsValue(field) && !isKept(field));
    const own = suffix === 'Create' ? newId(resource) : { id: sentId(resource, ID_SCHEMA), revision: REVISION };
    const names = [...(suffix === 'Create' && needsId(resource) ? ['id'] : []), ...required.map(({ name }) => name)];
    return {
      type: 'object',
      ...(names.length === 0 ? {} : { required: names }),
      properties: { ...own, ...requestMembers(fields, resource, 'request') },
      additionalProperties: false,
      ...explain(description, () => ({
        description: `${BODIES[suffix]} Members that the server sets may be sent back; they are ignored.`,
        ...writeExample(resource, fields, suffix),
      })),
    };
  });
}

/** The members of a schema that a compact description leaves out. */
function explain({ contract }: Description, members: () => JsonObject): JsonObject {
  return contract.isCompact ? {} : members();
}

const BODIES = {
  Create: 'What a new resource is made of.',
  Replace:
    'The whole resource. Left out, an optional member goes to its default or null; one that is write-only, immutable or the state keeps its value.',
} as const;

/** A merge patch: null unsets, absent members stay as they are (MET-3). */
export function patchSchema(resource: Resource, description: Description): JsonObject {
  return description.components.ref('schemas', schemaName(resource, 'Patch'), () => {
    const fields = requireResource(description.surface, resource).writable;
    return {
      type: 'object',
      properties: {
        ...explain(description, () => ({ id: sentId(resource, ID_SCHEMA), revision: REVISION })),
        ...requestMembers(fields, resource, 'patch'),
      },
      additionalProperties: false,
      ...explain(description, () => ({
        description: 'The members to change: null unsets one, and those left out stay as they are.',
        ...writeExample(resource, fields, 'Patch'),
      })),
    };
  });
}

/** The members of a form, whose names have brackets: `tags[]`, `address[city]` (NEG-5). */
export function formSchema(resource: Resource, description: Description): JsonObject {
  return description.components.ref('schemas', schemaName(resource, 'FormBody'), () => {
    const fields = requireResource(description.surface, resource).writable;
    const schemas = requestMembers(fields, resource, 'patch');
    const members = fields.map(({ name, type }) => [
      type.kind === 'array' ? `${name}[]` : name,
      type.kind === 'json' ? JSON_TEXT : readObject(schemas[name]),
    ]);
    return {
      type: 'object',
      properties: { ...newId(resource), ...Object.fromEntries(members) },
      description:
        'The members as a form: lists as tags[]=a&tags[]=b, objects as address[city]=Oslo, items of lists as items[0][sku]=x. An empty value is null where the member is no text.',
      ...exampleForm(resource, fields),
    };
  });
}

/** Any JSON in a form. */
const JSON_TEXT: JsonObject = { type: 'string', contentMediaType: 'application/json' };

const REVISION: JsonObject = {
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'If sent without If-Match, the revision that the resource has to have.',
};

/** The schema of an id in a body. */
function sentId({ id }: Pick<Resource, 'id'>, schema: JsonObject): JsonObject {
  return id.kind === 'client' && id.number ? { ...schema, type: SENT_ID } : schema;
}

interface ResponseMembers {
  readonly fields: readonly Field[];
  readonly use: SchemaUse;
}

function responseSchema(resource: Resource, description: Description, { fields, use }: ResponseMembers): JsonObject {
  const shown = fields.map((field) => allowNull(resource, field));
  const own = marked(fields, memberSchemas(shown, resource.schema, use));
  const { isCompact } = description.contract;
  const properties = {
    id: { ...ID_SCHEMA, ...(resource.id.kind === 'server' ? { readOnly: true } : {}) },
    ...own,
    ...Object.fromEntries(resource.computed.map((each) => [each.name, computedSchema(each, use)])),
    ...systemMembers(resource, isCompact),
  };
  // A member that some callers may not read is absent for them.
  const always = Object.keys(properties).filter((name) => !isHideable(resource, name));
  const present = use === 'response' ? [...always, 'links'] : ['id', 'revision', 'links'];
  return {
    type: 'object',
    required: present,
    properties: {
      ...properties,
      ...(isCompact ? {} : expandedMembers(resource, description)),
      links: isCompact ? LINKS : linksSchema(resource, description),
    },
    ...(use === 'response' ? explain(description, () => writeExample(resource, fields, '')) : {}),
  };
}

/** The members that every resource has after its own. Those of a table that exists may be NULL, and differ only. */
function systemMembers(resource: Resource, isShortest: boolean): JsonObject {
  const isOwn = resource.table === null;
  const changed = { ...ROW_REVISION, description: 'Differs after every change; the first part of the ETag.' };
  const long = isOwn ? ROW_REVISION : changed;
  return {
    ...Object.fromEntries(listTimes(resource).map((name) => [name, isOwn ? TIME : nullable(TIME)])),
    revision: isShortest ? SHORT_REVISION : long,
  };
}

function isHideable({ fieldAccess }: Resource, name: string): boolean {
  return (fieldAccess.get(name)?.read ?? null) !== null;
}

/** The related resources that `expand` embeds. */
function expandedMembers(resource: Resource, description: Description): JsonObject {
  const { relations } = requireResource(description.surface, resource);
  return Object.fromEntries(
    relations.map(({ name, kind, target }) => [
      name,
      kind === 'one'
        ? { anyOf: [wholeSchema(target, description), { type: 'null' }], description: EXPANDED }
        : pageSchema(target, description),
    ]),
  );
}

const EXPANDED = 'Present where expand names it.';

function linksSchema(resource: Resource, description: Description): JsonObject {
  const { components, surface } = description;
  return components.ref('schemas', schemaName(resource, 'Links'), () => {
    const always = ['self', 'collection', ...(resource.parent === null ? [] : ['up'])];
    const related = requireResource(surface, resource).relations.filter(({ linked }) => linked);
    const names = [...new Set([...always, ...related.map(({ name }) => name)])];
    return {
      type: 'object',
      required: always,
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string', format: 'uri-reference' }])),
      readOnly: true,
    };
  });
}

/** The members of a request body. */
function requestMembers(fields: readonly Field[], resource: Resource, use: SchemaUse): JsonObject {
  const schemas = memberSchemas(fields, resource.schema, use);
  return Object.fromEntries(
    fields.map(({ name, writeOnly }) => [
      name,
      writeOnly ? { ...readObject(schemas[name]), writeOnly: true } : readObject(schemas[name]),
    ]),
  );
}

function marked(fields: readonly Field[], schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    fields.map(({ name, readOnly, shownOnce }) => {
      const schema = readObject(schemas[name]);
      // A replay has null in place of what is shown once.
      const shown = shownOnce ? nullable(schema) : schema;
      return [name, readOnly ? { ...shown, readOnly: true } : shown];
    }),
  );
}

function computedSchema(field: ComputedField, use: SchemaUse): JsonObject {
  return { ...valueSchema({ ...field, nullable: true }, field.schema, use), readOnly: true };
}

function newId({ id }: Resource): JsonObject {
  if (id.kind === 'server') return {};
  return { id: sentId({ id }, id.pattern === null ? ID_SCHEMA : { ...ID_SCHEMA, pattern: id.pattern.source }) };
}
