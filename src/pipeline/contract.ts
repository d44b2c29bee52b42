import type { CursorSeal } from '../conventions/pagination/cursor.ts';
import { type CsvWriter, compileCsv } from '../formats/csv.ts';
import type { ObjectType } from '../formats/typed-reader.ts';
import type { Member, Model, Resource } from '../model/model.ts';
import { compileValidators, type ResourceValidator } from '../model/values/resource-validator.ts';
import { type UrlBuilder, urlBuilder } from '../plan/url-builder.ts';
import { type ListRule, listRule } from '../plan/list-query.ts';
import { ResponseFormats } from './offers.ts';
import {
  compileRepresentation,
  compileFields,
  compileStoredFields,
  type Representation,
  type FieldWriter,
} from './represent/representation.ts';

/** What formats write a resource by. */
export interface DocumentTypes {
  readonly resource: Resource;
  /** What a representation is. */
  readonly responseType: ObjectType;
  readonly csv: CsvWriter;
}

/** A resource with everything that depends on the model alone, worked out once at start. */
export interface CompiledResource extends DocumentTypes {
  readonly validator: ResourceValidator;
  readonly list: ListRule;
  readonly writeFields: FieldWriter;
  /** Of any row: one that is remembered may be of another model, and one that a batch has staged has its members in another order. */
  readonly represent: Representation;
  /** Of a row that a store has read whole. */
  readonly representStored: Representation;
  /** What a body may be: every field, and what the server makes, for a body may say it too (REP-6). */
  readonly bodyType: ObjectType;
  /** Route patterns for logs and metrics: `/api/products/{product_id}/reviews/{id}`. */
  readonly patterns: { readonly collection: string; readonly item: string };
}

/** The model as the pipeline uses it. */
export interface Contract {
  readonly model: Model;
  readonly offers: ResponseFormats;
  readonly addresses: UrlBuilder;
  /** By path segment. */
  readonly collections: ReadonlyMap<string, CompiledResource>;
  /** By name. */
  readonly resources: ReadonlyMap<string, CompiledResource>;
  /** Decoded segments of the base path. */
  readonly base: readonly string[];
}

/** Compiles what the request path looks up. */
export function compileContract(model: Model, seal: CursorSeal): Contract {
  const validators = compileValidators(model);
  const links = urlBuilder(model);
  const compiled = [...model.resources.values()].map((resource): CompiledResource => {
    const validator = validators.get(resource.name);
    if (validator === undefined) throw new Error(`no validator was compiled for ${resource.name}`);
    const show = compileFields(resource);
    return {
      resource,
      validator,
      list: listRule(model, resource, validator, seal),
      writeFields: show,
      represent: compileRepresentation(model, resource, links, show),
      representStored: compileRepresentation(model, resource, links, compileStoredFields(resource, show)),
      ...documentTypes(resource),
      patterns: { collection: pattern(model, resource), item: [pattern(model, resource), '{id}'].join('/') },
    };
  });
  return {
    model,
    offers: new ResponseFormats(model),
    addresses: links,
    collections: new Map(compiled.map((each) => [each.resource.collection, each])),
    resources: new Map(compiled.map((each) => [each.resource.name, each])),
    base: model.basePath.split('/').filter((segment) => segment !== ''),
  };
}

const TEXT = { type: { kind: 'text', format: null }, nullable: true, required: false } as const;
const ID: Member = { ...TEXT, name: 'id' };
const SYSTEM: readonly Member[] = [
  { ...TEXT, name: 'created_at' },
  { ...TEXT, name: 'updated_at' },
  { ...TEXT, name: 'revision', type: { kind: 'integer' } },
];
const LINKS: Member = { ...TEXT, name: 'links', type: { kind: 'object', members: [] } };

function documentTypes({ fields, computed }: Resource): Pick<CompiledResource, 'bodyType' | 'responseType' | 'csv'> {
  const worked = computed.map((each): Member => ({ ...each, required: false }));
  const readable = [ID, ...fields.filter(({ writeOnly }) => !writeOnly), ...worked, ...SYSTEM];
  return {
    bodyType: { kind: 'object', members: [ID, ...fields, ...worked, ...SYSTEM, LINKS] },
    responseType: { kind: 'object', members: [...readable, LINKS] },
    csv: compileCsv({ kind: 'object', members: readable }),
  };
}

function pattern(model: Model, { collection, parent }: Resource): string {
  const above = parent === null ? undefined : model.resources.get(parent.resource);
  if (parent === null || above === undefined) return [model.basePath, collection].join('/');
  return [pattern(model, above), `{${parent.field}}`, collection].join('/');
}
