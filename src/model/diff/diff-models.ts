import type { CorsRule } from '../../conventions/headers/cors.ts';
import type { Model, Resource } from '../model.ts';
import { compareAuth } from './compare-auth.ts';
import { LIMIT_COMPARERS } from './compare-limits.ts';
import { compareResources } from './compare-resources.ts';
import { type Comparers, compareMembers, flag, type Pair, setDifference, unseen, value } from './comparers.ts';
import { API_PLACE, type Difference, difference, inside, listed, type Place } from './difference.ts';
import type { Hooks } from '../hooks.ts';

/** The differences between two models for their clients. */
export interface ModelDiff {
  /** Those of the API as a whole, then of each resource in the order of the new model, then the removed resources. */
  readonly differences: readonly Difference[];
  /** The parts that cannot be compared, one line each. */
  readonly notes: readonly string[];
}

/** The comparer of each member of a compiled model. */
const MODEL_COMPARERS = {
  name: value('name-changed', 'the name of the API, which media types have,'),
  title: value('title-changed', 'the title'),
  version: unseen('compared with what the differences need'),
  basePath: value('base-path-changed', 'the base path'),
  publicUrl: value('public-url-changed', 'the public URL'),
  defaultVersion: value('default-version-changed', 'the version of requests that name none'),
  cors: (was, is, at) => compareCors([was, is], inside(at, 'cors')),
  auth: compareAuth,
  trustedProxies: unseen('of the deployment'),
  requireTls: flag(['tls-required', 'requests need TLS'], ['tls-not-required', 'requests no longer need TLS']),
  descriptions: (was, is, at) => {
    if (was === is) return [];
    const kind = is === 'authenticated' ? 'descriptions-restricted' : 'descriptions-published';
    return [difference(kind, inside(at, 'descriptions'), `the descriptions are ${is}, were ${was}`)];
  },
  console: unseen('a page for people'),
  secret: unseen('of the deployment'),
  events: unseen('how long events are stored, and the relays; a position that is too old has an error of its own'),
  webhooks: unseen('of the deployment; their collections are resources'),
  relays: unseen('their collection is a resource'),
  limits: (was, is, at) => compareMembers(LIMIT_COMPARERS, [was, is], inside(at, 'limits')),
  system: (was, is, at) => compareMembers(SYSTEM_COMPARERS, [was, is], at),
  resources: compareResources,
  collections: unseen('the same resources, by path segment'),
  versions: unseen('the older contracts: their clients are not those of the newest'),
  returnFrom: unseen('is of a migration alone'),
  fingerprint: unseen('changes with everything, also with what clients do not see'),
} satisfies Comparers<Model>;

const SYSTEM_COMPARERS = {
  batches: value('batches-renamed', 'the collection of batches'),
  events: value('events-renamed', 'the collection of events'),
} satisfies Comparers<Model['system']>;

const CORS_COMPARERS = {
  origins: (was, is, at) => {
    const { removed, added } = setDifference(was, is);
    return [
      ...(removed.length > 0 ? [difference('origin-refused', at, `refuses pages of ${listed(removed)}`)] : []),
      ...(added.length > 0 ? [difference('origin-allowed', at, `allows pages of ${listed(added)}`)] : []),
    ];
  },
  readers: (was, is, at) => {
    if (was === is) return [];
    const isWider = was === 'origins';
    return [
      difference(isWider ? 'origin-allowed' : 'origin-refused', at, `readers are ${READERS[is]}, were ${READERS[was]}`),
    ];
  },
  maxAge: value('caching-changed', 'the seconds of a preflight'),
} satisfies Comparers<CorsRule>;

const READERS: Readonly<Record<CorsRule['readers'], string>> = {
  origins: 'the origins, without credentials',
  'origins-with-credentials': 'the origins, also with credentials',
  anyone: 'all pages, without credentials',
};

/** Compares two models: every difference that a client can see. Equal models have none. */
export function diffModels(was: Model, is: Model): ModelDiff {
  return {
    differences: compareMembers<Model, Place>(MODEL_COMPARERS, [was, is], API_PLACE),
    notes: uncomparedCode([was, is]),
  };
}

function compareCors([was, is]: Pair<CorsRule | null>, at: Place): readonly Difference[] {
  if (was !== null && is !== null) return compareMembers<CorsRule, Place>(CORS_COMPARERS, [was, is], at);
  if (is !== null)
    return [difference('origin-allowed', at, `pages of other origins may use it: ${describeOrigins(is)}`)];
  return was === null ? [] : [difference('origin-refused', at, 'no page of another origin may use it')];
}

function describeOrigins({ origins, readers }: CorsRule): string {
  return readers === 'anyone' ? 'all' : listed([...origins]);
}

/** One line for each resource that has functions in either model: they cannot be compared. */
function uncomparedCode([was, is]: Pair<Model>): readonly string[] {
  const names = new Set([...is.resources.keys(), ...was.resources.keys()]);
  return [...names].flatMap((name) => {
    const code = new Set([was, is].flatMap((model) => listCode(model.resources.get(name), model)));
    return code.size === 0 ? [] : [`${name}: functions are not compared: ${[...code].join(', ')}`];
  });
}

/** The parts of a resource that are functions. The keys of the API have some of the program. */
function listCode(resource: Resource | undefined, { auth }: Model): readonly string[] {
  if (resource === undefined || resource.name === auth?.apiKeys) return [];
  const { computed, fields, rows, hooks } = resource;
  return [
    ...(hasHooks(hooks) ? ['hooks'] : []),
    ...(computed.length > 0 ? ['computed members'] : []),
    ...(fields.some(({ generator }) => generator?.kind === 'code') ? ['generated values'] : []),
    ...(Object.values(rows).some((rules) => rules.some(({ kind }) => kind === 'function')) ? ['row policies'] : []),
  ];
}

function hasHooks({ refine, before, check, after }: Hooks): boolean {
  const functions = [refine, ...Object.values(before), ...Object.values(after)];
  return check.size > 0 || functions.some((each) => each !== null);
}
