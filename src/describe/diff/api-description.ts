import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { parseVersion } from '../../conventions/versioning.ts';
import type { ContractVersion } from '../../model/model.ts';
import { readObject, readString } from '../../model/values/access.ts';
import { shown } from '../../model/diff/difference.ts';

/** A description that cannot be compared. The message says why, and what helps. */
export class DescriptionError extends Error {
  override readonly name = 'DescriptionError';
}

/** An OpenAPI description that can be compared. All of its references are local. */
export interface ApiDescription {
  readonly document: JsonObject;
  /** Version of OpenAPI. */
  readonly edition: '3.0' | '3.1' | '3.2';
  readonly title: string;
  /** Version of the API. */
  readonly version: ContractVersion;
}

/** A value that a reference may lead to, and the last part of the reference: the name of a component. */
export interface Resolved {
  readonly value: JsonObject;
  readonly name: string | null;
}

const EDITION = /^(3\.[012])\.\d+(?:-.*)?$/;

/** References to references. */
const MAX_STEPS = 20;

/**
 * A description in OpenAPI 3.0, 3.1 or 3.2.
 *
 * @throws {DescriptionError} another version of OpenAPI, no paths, or a version of the API that is not
 *   MAJOR.MINOR.PATCH
 */
export function readDescription(document: Json): ApiDescription {
  if (!isJsonObject(document) || !('openapi' in document || 'swagger' in document)) {
    throw new DescriptionError('it is not an OpenAPI description: it has no member openapi');
  }
  const written = document['openapi'] ?? document['swagger'];
  const [, edition] = EDITION.exec(readString(written) ?? '') ?? [];
  if (edition !== '3.0' && edition !== '3.1' && edition !== '3.2') {
    throw new DescriptionError(`its version of OpenAPI is ${shown(written)}; convert it to 3.0, 3.1 or 3.2`);
  }
  if (!isJsonObject(document['paths'])) throw new DescriptionError('it has no paths; paths must be an object');
  const { title, version } = readObject(document['info']);
  return { document, edition, title: readString(title) ?? '', version: readApiVersion(version) };
}

function readApiVersion(written: Json | undefined): ContractVersion {
  const version = parseVersion(readString(written) ?? '');
  if (version === null) {
    throw new DescriptionError(`info.version is ${shown(written)}; write MAJOR.MINOR.PATCH, such as "1.4.0"`);
  }
  return { major: version.major, minor: version.minor ?? 0, patch: version.patch ?? 0 };
}

/**
 * The object that a value refers to, or the value itself; an empty one for what is no object.
 *
 * @throws {DescriptionError} a reference to another document, to nothing, or to itself
 */
export function resolve(value: Json | undefined, { document }: ApiDescription): Resolved {
  let resolved = value;
  let name: string | null = null;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const reference = readString(readObject(resolved)['$ref']);
    if (reference === null) return { value: readObject(resolved), name };
    name ??= splitPointer(reference).at(-1) ?? null;
    resolved = followReference(reference, document);
  }
  throw new DescriptionError(`the reference ${shown(readObject(value)['$ref'])} leads to itself`);
}

/** The value at a reference. @throws {DescriptionError} */
export function followReference(reference: string, document: JsonObject): Json {
  if (reference !== '#' && !reference.startsWith('#/')) {
    throw new DescriptionError(
      `the reference ${shown(reference)} leads to another document; bundle the description into one file first`,
    );
  }
  let value: Json | undefined = document;
  for (const part of splitPointer(reference)) {
    if (Array.isArray(value)) value = value[Number(part)];
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  if (value === undefined) throw new DescriptionError(`the reference ${shown(reference)} leads to nothing`);
  return value;
}

/** The parts of a JSON pointer in a fragment (RFC 6901). */
function splitPointer(reference: string): readonly string[] {
  return reference
    .slice(2)
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
