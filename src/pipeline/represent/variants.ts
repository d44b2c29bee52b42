import type { Coding } from '../../conventions/content-coding.ts';
import { writeQuery } from '../../conventions/query.ts';
import type { LinkBase } from '../../plan/url-builder.ts';
import type { Permission } from '../authorize.ts';
import type { Contract } from '../contract.ts';
import type { Negotiated } from '../negotiate.ts';

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
  readonly permissions: readonly Permission[];
  /** Id of the cache epoch. */
  readonly epoch: string;
  readonly digest: (text: string) => string;
}

type ByContentType = ReadonlyMap<string, Variant>;
type ByPermission = ReadonlyMap<string, ByContentType>;

/** Characters of an id: there are some dozens of variants. */
const ID_CHARACTERS = 8;

/**
 * Compiles the variants of all contracts at start, so that a request only looks one up. A variant depends on the *contract* (its media types, its
 * link bases) and the *permission*; never on an identity or a visibility.
 *
 * @returns the variant of a request
 */
export function compileVariants(
  options: VariantOptions,
): (request: Pick<Negotiated, 'base' | 'permission' | 'offer'>) => Variant {
  const variants = new Map<LinkBase, ByPermission>();
  for (const contract of options.contracts) {
    for (const base of contract.linkBases.all) variants.set(base, byPermission(contract, base, options));
  }
  return ({ base, permission, offer }) => {
    const variant = variants.get(base)?.get(permission.id)?.get(offer.contentType);
    if (variant === undefined) throw new Error(`No variant of ${offer.contentType} below ${base.prefix} was compiled.`);
    return variant;
  };
}

function byPermission({ formats }: Contract, base: LinkBase, options: VariantOptions): ByPermission {
  const { permissions, epoch, digest } = options;
  const name = (parts: readonly string[]): string => digest(parts.join('\n')).slice(0, ID_CHARACTERS);
  const variant = (contentType: string, permission: Permission): Variant => {
    const id = name([contentType, base.prefix, writeQuery(base.parameters), epoch, permission.id]);
    const of = (coding: Coding): string => name([id, coding]);
    return { id, coded: { identity: of('identity'), br: of('br'), gzip: of('gzip'), zstd: of('zstd') } };
  };
  return new Map(
    permissions.map((permission) => [
      permission.id,
      new Map(formats.contentTypes.map((type) => [type, variant(type, permission)])),
    ]),
  );
}
