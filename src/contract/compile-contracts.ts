import { type ClearableCache, createCache, joinCaches } from '../cache/cache.ts';
import { ObjectCache } from '../cache/object-cache.ts';
import { modelWithout } from '../model/model-without.ts';
import type { ContractVersion, Model, OlderVersion } from '../model/model.ts';
import { eventListRule } from '../plan/events/event-query.ts';
import { compileOriginRoutes } from '../plan/routes/origin-routes.ts';
import { urlBuilder, type LinkBase } from '../plan/routes/url-builder.ts';
import { type VisibilityCache, visibilitiesByCaller } from '../plan/policy/visibilities.ts';
import { type ContractMapping, contractMappings, withStoredProperties } from '../versions/contract-mapping.ts';
import { ReadMapping } from '../versions/read-mapping.ts';
import {
  compileResources,
  type Contract,
  type ContractContext,
  type Contracts,
  type LinkBases,
  type Permitted,
  ResponseFormats,
  versionedBase,
} from './contract.ts';
import { EVERY_PERMISSION, type Permission, compilePermissions } from './permission.ts';

/** The caches of all contracts of a model. */
interface ContractCaches {
  readonly visibilities: VisibilityCache;
  readonly permissions: ClearableCache[];
  readonly contracts: ClearableCache[];
}

/** The options that all contracts of a model are compiled with. */
interface CompileOptions extends Pick<ContractContext, 'seal' | 'observe'> {
  readonly caches: ContractCaches;
}

/** The routes of the origin that an API serves by its options. */
type ServedRoutes = Pick<Contracts, 'servesMetrics' | 'servesAgents' | 'consoleFiles'>;

interface ContractsOptions extends Omit<CompileOptions, 'caches'>, ServedRoutes {}

/** Compiles the contracts of a model: the newest one, and older ones over the same rows. */
export function compileContracts(
  model: Model,
  { servesMetrics, servesAgents, consoleFiles, ...given }: ContractsOptions,
): Contracts {
  const served: ServedRoutes = { servesMetrics, servesAgents, consoleFiles };
  const caches: ContractCaches = { visibilities: new ObjectCache(), permissions: [], contracts: [] };
  const options = { ...given, caches };
  const current = compileCurrent(model, options);
  const mappings = contractMappings(model);
  const older = model.versions.flatMap((each, index): readonly Contract[] => {
    const mapping = mappings[index];
    return each.retired || mapping === undefined ? [] : [compileOlder(each, mapping, { current, ...options })];
  });
  const all = [current, ...older];
  const byVersion = new Map(all.map((each) => [each.version, each]));
  const versions = [model.version, ...model.versions.map(({ version, retired }) => ({ ...version, retired }))];
  return {
    current,
    all,
    versions,
    ...served,
    findOriginRoute: compileOriginRoutes({ model, ...served }),
    caches: {
      visibilities: caches.visibilities,
      permissions: joinCaches(caches.permissions),
      contracts: joinCaches(caches.contracts),
    },
    of: (version) => byVersion.get(formatVersion(version)) ?? null,
  };
}

function formatVersion({ major, minor, patch }: ContractVersion): string {
  return `${major}.${minor}.${patch}`;
}

function compileLinkBases(model: Model): LinkBases {
  const { major, minor, patch } = model.version;
  const prefix = `${model.publicUrl ?? ''}${model.basePath}`;
  const whole = queryBase(prefix, `${major}.${minor}.${patch}`);
  const byQuery = new Map([`${major}`, `${major}.${minor}`].map((text) => [text, queryBase(prefix, text)]));
  const canonical = versionedBase(model, model.publicUrl ?? '');
  const unversioned = { prefix, parameters: [] };
  return { all: [canonical, unversioned, ...byQuery.values(), whole], canonical, unversioned, byQuery, whole };
}

function queryBase(prefix: string, version: string): LinkBase {
  return { prefix, parameters: [['api_version', version]] };
}

/** Maximum number of cached contracts without some fields; one takes some milliseconds to compile. */
const MAX_CONTRACTS = 64;

function compileCurrent(model: Model, options: CompileOptions): Contract {
  const urls = urlBuilder(model);
  return compileContract(model, {
    context: { ...options, stored: model, scope: '', urls },
    caches: options.caches,
    visibilities: visibilitiesByCaller(model.resources, options.caches.visibilities),
    lifecycle: [],
    deprecationPage: null,
    isDeprecated: false,
    mapping: null,
    current: null,
  });
}

/** Compiles an older contract, whose policies are those of the newest one. */
function compileOlder(
  older: OlderVersion,
  mapping: ContractMapping,
  { current, ...options }: CompileOptions & { readonly current: Contract },
): Contract {
  const model = withStoredProperties(older, mapping, current.model);
  const context = { ...options, stored: current.model, scope: formatVersion(older.version), urls: urlBuilder(model) };
  return compileContract(model, {
    context,
    caches: options.caches,
    visibilities: current.visibilities,
    lifecycle: lifecycleFields(older),
    deprecationPage: older.deprecationPage,
    isDeprecated: older.deprecated !== null,
    mapping: { resources: mapping.resources, reads: new ReadMapping(mapping, current.model.resources) },
    current,
  });
}

interface ContractParts
  extends Pick<Contract, 'visibilities' | 'lifecycle' | 'deprecationPage' | 'isDeprecated' | 'mapping'> {
  readonly context: ContractContext;
  readonly caches: ContractCaches;
  /** null for the newest contract itself. */
  readonly current: Contract | null;
}

function compileContract(model: Model, { context, caches, current, ...parts }: ContractParts): Contract {
  const permissions = compilePermissions(model);
  const contract: Contract = {
    ...parts,
    ...compiledModel(model, context),
    version: formatVersion(model.version),
    formats: new ResponseFormats(model),
    urls: context.urls,
    eventList: eventListRule(model, context.stored, context),
    base: model.basePath.split('/').filter((segment) => segment !== ''),
    linkBases: compileLinkBases(model),
    hasFieldRules: permissions !== null,
    permitted: (caller) => (permissions === null ? whole : permitted(permissions.find(caller))),
    unrestricted: () => current ?? contract,
  };
  const whole: Permitted = { permission: EVERY_PERMISSION, contract };
  // By the permission alone.
  const contracts = createCache<Contract>({ maxWeight: MAX_CONTRACTS, weigh: () => 1 });
  if (permissions !== null) {
    caches.permissions.push(permissions.cache);
    caches.contracts.push(contracts);
  }
  const permitted = (permission: Permission): Permitted => {
    const { id, hidden } = permission;
    if (hidden.size === 0) return { permission, contract };
    const known = contracts.get(id);
    if (known !== undefined) return { permission, contract: known };
    const made = { ...contract, ...compiledModel(modelWithout(model, hidden), context) };
    contracts.set(id, made);
    return { permission, contract: made };
  };
  return contract;
}

/** Writes the header fields of VER-4 that are the same in all responses of a contract. */
function lifecycleFields({ deprecated, sunset }: OlderVersion): readonly string[] {
  return [
    ...(deprecated === null ? [] : ['Deprecation', `@${deprecated}`]),
    ...(sunset === null ? [] : ['Sunset', new Date(sunset * 1_000).toUTCString()]),
  ];
}

function compiledModel(
  model: Model,
  context: ContractContext,
): Pick<Contract, 'model' | 'collections' | 'resources' | 'resourceOf'> {
  const compiled = compileResources(model, context);
  const resources = new Map(compiled.map((each) => [each.resource.name, each]));
  return {
    model,
    collections: new Map(compiled.map((each) => [each.resource.collection, each])),
    resources,
    resourceOf(name) {
      const found = resources.get(name);
      if (found === undefined) throw new Error(`the model has no resource ${name}`);
      return found;
    },
  };
}
