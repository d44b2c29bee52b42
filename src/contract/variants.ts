import { memoize } from '../cache/memoize.ts';
import type { Coding } from '../conventions/media/content-coding.ts';
import { writeQuery } from '../conventions/url/query.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import type { Contract } from './contract.ts';
import { EVERY_PERMISSION } from './permission.ts';

/** The part of an ETag that all representations of one form share, for clients that prefer one coding. */
export interface Variant {
  /**
   * Names everything that a representation depends on besides its rows: media type, start of links, cache epoch and
   * permission.
   */
  readonly id: string;
  /** Names the content coding too, for ETags of bodies that are long enough to be compressed. */
  readonly coded: string;
}

/** The variants below one start of links for one permission, by `Content-Type` and coding. */
export type Variants = ReadonlyMap<string, Readonly<Record<Coding, Variant>>>;

/** Finds variants. @param permission the id of a permission */
export type FindVariants = (base: LinkBase, permission: string) => Variants;

/** Parameters of {@link compileVariants}. */
export interface VariantOptions {
  readonly contracts: readonly Contract[];
  /** Id of the cache epoch. */
  readonly epoch: string;
  readonly digest: (text: string) => string;
}

/** Characters of an id. There are some dozens of variants. */
const ID_CHARACTERS = 8;

/**
 * Compiles the variants of all contracts, so that a request only looks one up. Those of callers who may read every
 * field are compiled at start, others for the first such caller. A variant depends on the *contract* and the
 * *permission*, never on an identity or a visibility.
 */
export function compileVariants(options: VariantOptions): FindVariants {
  const whole = compileByBase(EVERY_PERMISSION.id, options);
  const narrower = memoize((permission) => compileByBase(permission, options));
  return (base, permission) => {
    const variants = (permission === EVERY_PERMISSION.id ? whole : narrower(permission)).get(base);
    if (variants === undefined) throw new Error(`no variant was compiled below ${base.prefix}`);
    return variants;
  };
}

/** Selects a variant. @throws {Error} for a media type that no route offers */
export function selectVariant(variants: Variants, contentType: string, coding: Coding): Variant {
  const variant = variants.get(contentType)?.[coding];
  if (variant === undefined) throw new Error(`no variant of ${contentType} was compiled`);
  return variant;
}

/** @param permission the id of a permission */
function compileByBase(
  permission: string,
  { contracts, epoch, digest }: VariantOptions,
): ReadonlyMap<LinkBase, Variants> {
  const name = (parts: readonly string[]): string => digest(parts.join('\n')).slice(0, ID_CHARACTERS);
  const byCoding = (contentType: string, base: LinkBase, version: string): Readonly<Record<Coding, Variant>> => {
    const id = name([contentType, version, base.prefix, writeQuery(base.parameters), epoch, permission]);
    const variant = (coding: Coding): Variant => ({ id, coded: name([id, coding]) });
    return { identity: variant('identity'), br: variant('br'), gzip: variant('gzip'), zstd: variant('zstd') };
  };
  return new Map(
    contracts.flatMap(({ formats, linkBases, version }) =>
      linkBases.all.map((base): [LinkBase, Variants] => [
        base,
        new Map(formats.contentTypes.map((type) => [type, byCoding(type, base, version)])),
      ]),
    ),
  );
}
