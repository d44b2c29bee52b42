import { memoize } from '../cache/memoize.ts';
import type { Coding } from '../conventions/media/content-coding.ts';
import { writeQuery } from '../conventions/url/query.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import type { Contract } from './contract.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import { EVERY_PERMISSION } from './permission.ts';
import type { Route } from '../pipeline/route.ts';

/** What representations of one variant have in common. */
export interface Variant {
  /** Names everything that a representation depends on besides its rows: media type, start of links, cache epoch and permission. */
  readonly id: string;
  /** Names the content coding too, for ETags of bodies that are long enough to be compressed. */
  readonly coded: Readonly<Record<Coding, string>>;
}

/** What variants are compiled for. */
export interface VariantOptions {
  readonly contracts: readonly Contract[];
  /** Id of the cache epoch. */
  readonly epoch: string;
  readonly digest: (text: string) => string;
}

type ByContentType = ReadonlyMap<string, Variant>;
type ByBase = ReadonlyMap<LinkBase, ByContentType>;

/** Characters of an id: there are some dozens of variants. */
const ID_CHARACTERS = 8;

/**
 * Compiles the variants of all contracts, so that a request only looks one up: at start those of callers who may read every field, of others when the
 * first one comes. A variant depends on the *contract* (its media types, its link bases) and the *permission*; never on an identity or a visibility.
 *
 * @returns the variant of a request
 */
export function compileVariants(
  options: VariantOptions,
): (request: Pick<Negotiated, 'base' | 'permission' | 'offer' | 'route'>) => Variant {
  const whole = byBase(EVERY_PERMISSION.id, options);
  const narrower = memoize((permission) => byBase(permission, options));
  return ({ base, permission, offer, route }) => {
    const id = isSameForEveryCaller(route) ? EVERY_PERMISSION.id : permission.id;
    const variants = id === EVERY_PERMISSION.id ? whole : narrower(id);
    const variant = variants.get(base)?.get(offer.contentType);
    if (variant === undefined) throw new Error(`No variant of ${offer.contentType} below ${base.prefix} was compiled.`);
    return variant;
  };
}

/** Whether no permission hides anything of what a route has: all callers share its variants, and through them what public caches store. */
function isSameForEveryCaller(route: Route): boolean {
  return (route.kind === 'collection' || route.kind === 'item') && route.compiled.resource.sameForEveryCaller;
}

/** @param permission the id of a permission */
function byBase(permission: string, { contracts, epoch, digest }: VariantOptions): ByBase {
  const name = (parts: readonly string[]): string => digest(parts.join('\n')).slice(0, ID_CHARACTERS);
  const variant = (contentType: string, base: LinkBase, version: string): Variant => {
    const id = name([contentType, version, base.prefix, writeQuery(base.parameters), epoch, permission]);
    const of = (coding: Coding): string => name([id, coding]);
    return { id, coded: { identity: of('identity'), br: of('br'), gzip: of('gzip'), zstd: of('zstd') } };
  };
  return new Map(
    contracts.flatMap(({ formats, linkBases, version }) =>
      linkBases.all.map((base): [LinkBase, ByContentType] => [
        base,
        new Map(formats.contentTypes.map((type) => [type, variant(type, base, version)])),
      ]),
    ),
  );
}
