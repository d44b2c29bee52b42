import { ApiError, refusal } from '../conventions/errors.ts';
import type { Json } from '../conventions/json.ts';
import { inflate } from '../formats/gzip.ts';
import { readJson } from '../formats/json.ts';
import type { Limits } from '../model/model.ts';
import type { Negotiated } from './negotiate.ts';

/** What a body says. The faults of its text are held back: 404, 403, 412 and 428 rank before them. */
export type Body =
  | { readonly kind: 'read'; readonly json: Json }
  | { readonly kind: 'faulty'; readonly error: ApiError };

/**
 * Reads a body whole.
 *
 * @throws {ApiError} 413 and 408, which rank before everything that the store is asked
 */
export async function readBody({ body, gzipped }: Negotiated, limits: Limits): Promise<Body> {
  if (body === null) {
    return {
      kind: 'faulty',
      error: refusal('REQUEST_BODY_REQUIRED', 'The request needs a body; send the resource as JSON.'),
    };
  }
  const bytes = await body.read(limits.body);
  try {
    const plain = gzipped ? await inflate(bytes, limits.body) : bytes;
    return { kind: 'read', json: readJson(plain, limits) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { kind: 'faulty', error };
    throw error;
  }
}
