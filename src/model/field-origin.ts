import type { GenerateValue } from './hooks.ts';
import type { CallerValue } from './policy.ts';

/**
 * A generator of values. A secret has 256 random bits after its prefix, and is stored encrypted if it is `sealed`.
 * A hint holds the first characters of a secret; code is a function of a TypeScript model.
 */
export type Generator =
  | { readonly kind: 'code'; readonly generate: GenerateValue }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'now' }
  | { readonly kind: 'secret'; readonly prefix: string; readonly sealed?: true }
  | { readonly kind: 'hint'; readonly secret: string };

/** A value of the caller for a new row. */
export interface CallerFill {
  readonly value: CallerValue;
  /** True if a value of the client takes precedence (`x-override`). Otherwise the field is read-only. */
  readonly override: boolean;
}
