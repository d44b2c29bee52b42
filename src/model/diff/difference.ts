import { cut } from '../../conventions/text/quoted.ts';
import type { Json } from '../../conventions/json/json.ts';
import { formatValue } from '../values/messages.ts';
import { DIFFERENCE_KINDS, type DifferenceKind, type Impact } from './difference-kinds.ts';

/** One difference between two models that clients can see. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Name of the resource in the new model, or in the old one where it is removed; null for the API as a whole. */
  readonly resource: string | null;
  /** The path in the model: `products.price`, `products.tags[]`, `limits.page.max`. */
  readonly path: string;
  /** The difference in words: `the maximum is 100, was 1000`. */
  readonly what: string;
  readonly requests: Impact;
  readonly responses: Impact;
}

/** The part of the model that is compared, and where clients meet it. */
export interface Place {
  readonly resource: string | null;
  readonly path: string;
  /** True if it is a part of requests. A read-only field is not. */
  readonly requests: boolean;
  /** True if it is a part of responses. A write-only field is not. */
  readonly responses: boolean;
}

/** The API as a whole. */
export const API_PLACE: Place = { resource: null, path: '', requests: true, responses: true };

/** A difference at a place. What clients do not meet there is not affected. */
export function difference(kind: DifferenceKind, at: Place, what: string): Difference {
  const [requests, responses] = DIFFERENCE_KINDS[kind];
  return {
    kind,
    resource: at.resource,
    path: at.path,
    what,
    requests: at.requests ? requests : 'none',
    responses: at.responses ? responses : 'none',
  };
}

/** A place inside another one: `price` in `products`. */
export function inside<P extends Place>(at: P, name: string): P {
  return { ...at, path: at.path === '' ? name : `${at.path}.${name}` };
}

/** Maximum characters of a value that a difference quotes. */
const MAX_SHOWN = 80;

/** A value in words, on one line and without control characters; `none` for an absent one. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = cut(formatValue(value), MAX_SHOWN);
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `EUR, "US dollar"`. */
export function listed(values: readonly Json[]): string {
  return values.map(shown).join(', ');
}

/** `is 100, was 1000`. */
export function isAndWas(is: Json | undefined, was: Json | undefined): string {
  return `is ${shown(is)}, was ${shown(was)}`;
}
