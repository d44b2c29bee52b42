import type { JsonObject } from '../../conventions/json/json.ts';
import { readObject, readString } from './access.ts';

/** A declared `parent`. Without names, those of the relations follow from the resources. */
interface DeclaredParent {
  readonly resource: string;
  /** Name of the relation from a row to its parent. */
  readonly as: string | undefined;
  /** Name of the relation from the parent to the rows below it. */
  readonly inverse: string | undefined;
}

/**
 * Reads the `parent` of a declared resource, in its short or its long form; null if it has none.
 *
 * @example
 * ```ts
 * readParent({ parent: { resource: 'products', inverse: 'opinions' } });
 * // { resource: 'products', as: undefined, inverse: 'opinions' }
 * ```
 */
export function readParent({ parent }: JsonObject): DeclaredParent | null {
  const { resource, as, inverse } = typeof parent === 'string' ? { resource: parent } : readObject(parent);
  const name = readString(resource);
  if (name === null) return null;
  return { resource: name, as: readString(as) ?? undefined, inverse: readString(inverse) ?? undefined };
}
