import { createCache } from '../cache/cache.ts';
import type { CursorSeal } from '../conventions/pagination/cursor.ts';
import { modelWithout } from '../model/model-without.ts';
import type { Model } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { urlBuilder, type LinkBase } from '../plan/url-builder.ts';
import { visibilitiesByCaller } from '../plan/visibilities.ts';
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
import { EVERY_PERMISSION, type Permission, permissionsOf } from './permission.ts';

/** The contracts of a model. One version is served. @param observe receives the failures of computed members */
export function compileContracts(model: Model, seal: CursorSeal, observe: Observe): Contracts {
  const current = compileContract(model, seal, observe);
  return { current, versions: [model.version], of: () => current };
}

function compileLinkBases(model: Model): LinkBases {
  const { major, minor, patch } = model.version;
  const prefix = `${model.publicUrl ?? ''}${model.basePath}`;
  const texts = [`${major}`, `${major}.${minor}`, `${major}.${minor}.${patch}`];
  const byQuery = new Map(
    texts.map((text): [string, LinkBase] => [text, { prefix, parameters: [['api_version', text]] }]),
  );
  const canonical = versionedBase(model, model.publicUrl ?? '');
  const unversioned = { prefix, parameters: [] };
  return { all: [canonical, unversioned, ...byQuery.values()], canonical, unversioned, byQuery };
}

/** Contracts without some fields that are kept; one takes some milliseconds to compile. */
const MAX_CONTRACTS = 64;

function compileContract(model: Model, seal: CursorSeal, observe: Observe): Contract {
  const urls = urlBuilder(model);
  const { major, minor, patch } = model.version;
  const permissionOf = permissionsOf(model);
  const compile = (shown: Model): Pick<Contract, 'model' | 'collections' | 'resources' | 'resourceOf'> =>
    compiledModel(shown, { stored: model, urls, seal, observe });
  const contract: Contract = {
    ...compile(model),
    version: `${major}.${minor}.${patch}`,
    formats: new ResponseFormats(model),
    urls,
    base: model.basePath.split('/').filter((segment) => segment !== ''),
    linkBases: compileLinkBases(model),
    visibilities: visibilitiesByCaller(model.resources),
    hasFieldRules: permissionOf !== null,
    permitted: (caller) => (permissionOf === null ? whole : permitted(permissionOf(caller))),
    unrestricted: () => contract,
  };
  const whole: Permitted = { permission: EVERY_PERMISSION, contract };
  // By the permission alone.
  const contracts = createCache<Contract>({ maxWeight: MAX_CONTRACTS, weigh: () => 1 });
  const permitted = (permission: Permission): Permitted => {
    const { id, hidden } = permission;
    if (hidden.size === 0) return { permission, contract };
    const known = contracts.get(id);
    if (known !== undefined) return { permission, contract: known };
    const made = { ...contract, ...compile(modelWithout(model, hidden)) };
    contracts.set(id, made);
    return { permission, contract: made };
  };
  return contract;
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
