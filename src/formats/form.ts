import type { JsonObject } from '../conventions/json.ts';
import { formFault, FormTree } from './form-tree.ts';
import type { StructureLimits } from './json-scan.ts';
import type { ObjectType } from './typed-reader.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body in `application/x-www-form-urlencoded` as the value that its schema makes of it (NEG-5): `tags[]=a&tags[]=b`,
 * `address[city]=Oslo`, `items[0][sku]=x`. So that every value can be said, a name without `=` is null, one that ends with `[]` and has no
 * `=` an empty list or object, and in a key of a map `[`, `]`, `%` and control characters are
 * percent-encoded once more (a lone `%` is the empty key).
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function readForm(bytes: Uint8Array, type: ObjectType, limits: StructureLimits): JsonObject {
  const tree = new FormTree(limits);
  for (const pair of decodeBytes(bytes).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals === -1) tree.add(decode(pair), { kind: 'bare' });
    else tree.add(decode(pair.slice(0, equals)), { kind: 'text', text: decode(pair.slice(equals + 1)) });
  }
  return tree.read(type);
}

function decodeBytes(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw formFault('send it in UTF-8, percent-encoded');
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw formFault('a percent sign is followed by two hexadecimal digits of UTF-8; the sign itself is %25');
  }
}
