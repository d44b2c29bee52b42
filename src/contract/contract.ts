import type { ClearableCache } from '../cache/cache.ts';
import type { SupportedVersion } from '../conventions/versioning.ts';
import type { CursorSeal } from '../conventions/pagination/cursor.ts';
import { type FormatOffer, formatOffers } from '../conventions/media/response-format.ts';
import { type CsvWriter, compileCsv } from '../formats/csv.ts';
import type { ObjectType } from '../formats/typed-reader.ts';
import type { ContractVersion, Field, Member, Model, Resource } from '../model/model.ts';
import { listTimes } from '../model/table-source.ts';
import { compileValidators, type ResourceValidator } from '../model/values/resource-validator.ts';
import type { PolicyCaller } from '../model/policy.ts';
import { comparedFields } from '../plan/policy-paths.ts';
import type { RowVisibilities } from '../plan/policy/visibilities.ts';
import type { Observe } from '../observe/observation.ts';
import { parentRecord, parentRecordType } from '../plan/transfer/export-record.ts';
import type { EventListRule } from '../plan/events/event-query.ts';
import { type ListRule, listRule } from '../plan/list/list-query.ts';
import type { FindOriginRoute } from '../plan/routes/origin-routes.ts';
import { ROUTE_KINDS, type RouteKind, ROUTES, writeRoutePattern } from '../plan/routes/route-table.ts';
import { compileUrlCheck, type UrlCheck } from '../plan/routes/row-url.ts';
import type { LinkBase, UrlBuilder } from '../plan/routes/url-builder.ts';
import type { ReadMapping } from '../versions/read-mapping.ts';
import type { ResourceMapping } from '../versions/resource-mapping.ts';
import type { Permission } from './permission.ts';
import {
  compileRepresentation,
  compileFields,
  compileStoredFields,
  type Representation,
  type FieldWriter,
} from './representation.ts';

/** The types by which formats write a resource. */
export interface DocumentTypes {
  readonly resource: Resource;
  /** The type of a representation. */
  readonly responseType: ObjectType;
  readonly csv: CsvWriter;
}

/** A resource with everything that depends on the model alone, compiled once at start. */
export interface CompiledResource extends DocumentTypes {
  /** The resource as stores have it, with the fields that are hidden from the caller. */
  readonly stored: Resource;
  /** The type of the response to a creation, which shows secrets; null if it is the same as `responseType`. */
  readonly createdType: ObjectType | null;
  readonly validator: ResourceValidator;
  /** Checks the URL of a new row by the limit of request targets. */
  readonly checkUrl: UrlCheck;
  readonly list: ListRule;
  readonly writeFields: FieldWriter;
  /**
   * Represents any row. A recorded row may come from an older model, and a staged row has its members in another order.
   */
  readonly represent: Representation;
  /** Represents a row that a store has read whole. It is faster than `represent`. */
  readonly representStored: Representation;
  /** The type of a request body: every field, and the members that the server sets, which a body may repeat (REP-6). */
  readonly bodyType: ObjectType;
  /** The type of a row in a file, and its CSV, with the ids above its parent if its key needs them. */
  readonly record: { readonly type: ObjectType; readonly csv: CsvWriter };
  /** The fields that read policies compare. Their values are cached with the representations. */
  readonly judged: readonly string[];
  /** Route patterns for logs and metrics: `/api/products/{product_id}/reviews/{id}`. */
  readonly patterns: { readonly collection: string; readonly item: string };
}

/** The response formats of each route, compiled once: POST responds with the resource that it created. */
export class ResponseFormats {
  readonly #offers: ReadonlyMap<RouteKind, readonly FormatOffer[]>;
  readonly #ndjson: readonly FormatOffer[];
  /** Every `Content-Type` that a route offers. */
  readonly contentTypes: readonly string[];

  constructor({ name, version }: Model) {
    this.#offers = new Map(ROUTE_KINDS.map((kind) => [kind, formatOffers(name, version, ROUTES[kind].formats)]));
    this.#ndjson = formatOffers(name, version, ['ndjson']);
    const offers = [...this.#offers.values(), this.#ndjson].flat();
    this.contentTypes = [...new Set(offers.map(({ contentType }) => contentType))];
  }

  /**
   * Finds the formats of a response. @param ndjson true if the request body is NDJSON, and so is the response (MET-13)
   */
  of(kind: RouteKind, method: string, ndjson: boolean): readonly FormatOffer[] {
    if (ndjson) return this.#ndjson;
    return this.#offers.get(kind === 'collection' && method === 'POST' ? 'item' : kind) ?? [];
  }
}

/**
 * One served version of the API: a model, and everything that depends on it alone. A request has its own
 * (`Routed.contract`).
 */
export interface Contract {
  readonly model: Model;
  /** Such as `1.4.2`. */
  readonly version: string;
  /** Header fields that announce the end of the contract in every response (VER-4), names and values alternating. */
  readonly lifecycle: readonly string[];
  /** The URL of the page about its deprecation (RFC 9745 3); null if there is none. */
  readonly deprecationPage: string | null;
  readonly isDeprecated: boolean;
  /** The mapping to the stored rows; null for the newest contract. */
  readonly mapping: OlderContract | null;
  readonly formats: ResponseFormats;
  readonly urls: UrlBuilder;
  /** The rule by which queries of the event log are parsed. */
  readonly eventList: EventListRule;
  /** The resources by the path segment of their collection. */
  readonly collections: ReadonlyMap<string, CompiledResource>;
  /** The resources by name. */
  readonly resources: ReadonlyMap<string, CompiledResource>;
  /** Finds a resource by a name that comes from the model itself. @throws {Error} there is none */
  readonly resourceOf: (name: string) => CompiledResource;
  /** Decoded segments of the base path. */
  readonly base: readonly string[];
  readonly linkBases: LinkBases;
  /** The rows that a caller may access. */
  readonly visibilities: (caller: PolicyCaller) => RowVisibilities;
  /** True if callers differ in the fields that they may use. */
  readonly hasFieldRules: boolean;
  /** The fields that a caller may use, and the contract that has only these. */
  readonly permitted: (caller: PolicyCaller) => Permitted;
  /** The newest contract with all fields, for reads and writes by the system on behalf of a request. */
  readonly unrestricted: () => Contract;
}

/** An older contract over the rows of the newest one (VER-5). */
export interface OlderContract {
  readonly reads: ReadMapping;
  /** By the name of the resource, without those whose rows are the same in both contracts. */
  readonly resources: ReadonlyMap<string, ResourceMapping>;
}

/** The permission of a caller, and the contract that it sees. */
export interface Permitted {
  readonly permission: Permission;
  readonly contract: Contract;
}

/** The starts of URLs in responses of one contract, by the way in which a request names the version (REP-9). */
export interface LinkBases {
  readonly all: readonly LinkBase[];
  /** The base of path-versioned URLs, with the model's public URL. */
  readonly canonical: LinkBase;
  /** The base if a header field names the version, or nothing does. */
  readonly unversioned: LinkBase;
  /** By the value of `api_version`: a major version, or MAJOR.MINOR. */
  readonly byQuery: ReadonlyMap<string, LinkBase>;
  /** The base if `api_version` names all three parts of the version. */
  readonly whole: LinkBase;
}

/** Every contract that an API serves. */
export interface Contracts {
  /** The newest one, whose schema rows are stored in. */
  readonly current: Contract;
  readonly all: readonly Contract[];
  /** All versions, retired ones included. */
  readonly versions: readonly SupportedVersion[];
  /** True if `/metrics` is a route of the origin (OPS-2). */
  readonly servesMetrics: boolean;
  /** True if `mcp` is a route below the base path (OPS-8). */
  readonly servesAgents: boolean;
  /** The names of the files of the console; null if it is not served (OPS-10). */
  readonly consoleFiles: readonly string[] | null;
  /** Finds the route of a path outside of the base path. */
  readonly findOriginRoute: FindOriginRoute;
  /** The caches of all contracts, by their names in metrics. */
  readonly caches: Readonly<Record<string, ClearableCache>>;
  /** Finds the contract of a version; null if it is retired. */
  of(version: ContractVersion): Contract | null;
}

/** Returns the start of the path-versioned URLs of a model at an origin. */
export function versionedBase({ basePath, version }: Model, origin: string): LinkBase {
  return { prefix: `${origin}${basePath}/v${version.major}`, parameters: [] };
}

/** The context in which the contracts of one model are compiled. */
export interface ContractContext {
  /** The newest model, with all fields. */
  readonly stored: Model;
  /** The scope of cursors besides their query: the version of an older contract. */
  readonly scope: string;
  readonly urls: UrlBuilder;
  readonly seal: CursorSeal;
  readonly observe: Observe;
}

/** Compiles the resources of a model, or of the part that a caller sees. */
export function compileResources(
  model: Model,
  { stored: { resources }, scope, urls, seal, observe }: ContractContext,
): readonly CompiledResource[] {
  const validators = compileValidators(model);
  return [...model.resources.values()].map((resource) => {
    const validator = validators.get(resource.name);
    if (validator === undefined) throw new Error(`no validator was compiled for ${resource.name}`);
    const stored = resources.get(resource.name) ?? resource;
    const writeFields = compileFields(resource, observe);
    // A stored row has the hidden fields, too.
    const writeStored = resource.isPartial !== true;
    return {
      resource,
      stored,
      validator,
      checkUrl: compileUrlCheck(model, resource, urls),
      list: listRule(model, resource, { validators, seal, scope }),
      writeFields,
      represent: compileRepresentation(model, resource, urls, writeFields),
      representStored: compileRepresentation(
        model,
        resource,
        urls,
        writeStored ? compileStoredFields(resource, resources, writeFields) : writeFields,
      ),
      ...documentTypes(resource, model),
      judged: comparedFields(resource),
      patterns: {
        collection: writeRoutePattern('collection', { model, resource }),
        item: writeRoutePattern('item', { model, resource }),
      },
    };
  });
}

const TEXT = { type: { kind: 'text', format: null }, nullable: true, required: false } as const;
const ID: Member = { ...TEXT, name: 'id' };
const REVISION: Member = { ...TEXT, name: 'revision', type: { kind: 'integer' } };
const LINKS: Member = { ...TEXT, name: 'links', type: { kind: 'object', members: [] } };

function isCreatedMember({ writeOnly, shownOnce }: Field): boolean {
  return !writeOnly || shownOnce;
}

function documentTypes(
  resource: Resource,
  { resources }: Model,
): Pick<CompiledResource, 'bodyType' | 'responseType' | 'createdType' | 'csv' | 'record'> {
  const { fields, computed } = resource;
  const calculated = computed.map((each): Member => ({ ...each, nullable: true, required: false }));
  const system = [...listTimes(resource).map((name): Member => ({ ...TEXT, name })), REVISION];
  const readable = [ID, ...fields.filter(({ writeOnly }) => !writeOnly), ...calculated, ...system];
  const members = [ID, ...fields, ...calculated, ...system, LINKS];
  const above = parentRecord(resource, resources);
  const parent = above === null ? [] : [parentRecordType(above)];
  return {
    bodyType: { kind: 'object', members },
    responseType: { kind: 'object', members: [...readable, LINKS] },
    createdType: fields.some(({ shownOnce }) => shownOnce)
      ? { kind: 'object', members: [ID, ...fields.filter(isCreatedMember), ...calculated, ...system, LINKS] }
      : null,
    csv: compileCsv({ kind: 'object', members: readable }),
    record: {
      type: { kind: 'object', members: [...members, ...parent] },
      csv: compileCsv({ kind: 'object', members: [...readable, ...parent] }),
    },
  };
}
