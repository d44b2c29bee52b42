import { versionText } from '../../../conventions/versioning.ts';
import { newerPaths, olderPaths } from '../../../model/contract-version.ts';
import type { ConversionError } from '../../../model/values/conversion-error.ts';
import { ApiError, type ErrorDetail } from '../../../conventions/errors.ts';
import { linkName } from '../../../model/link-name.ts';
import type { Model, Resource } from '../../../model/model.ts';
import type { ResourceMapping } from '../../../versions/resource-mapping.ts';
import type { CompiledResource } from '../../../contract/contract.ts';
import type { Caller } from '../../caller.ts';

/** A write through a contract that may be older. */
interface VersionedWrite {
  readonly caller: Pick<Caller, 'contract'>;
  /** The caller in the newest contract, in whose terms a write fails. */
  readonly system: Pick<Caller, 'contract' | 'permission'>;
  readonly systemResource: Pick<CompiledResource, 'resource'>;
}

/** Runs code that fails in the terms of the newest contract. @throws {ApiError} in those of the caller's */
export async function inCallersTerms<T>(write: VersionedWrite, run: () => T | Promise<T>): Promise<T> {
  if (write.caller.contract.mapping === null) return run();
  try {
    return await run();
  } catch (error) {
    throw olderContractError(error, write);
  }
}

/**
 * Translates a failure to the terms of the caller's contract: its error code, its names of resources and fields (VER-5,
 * ERR-2).
 */
export function olderContractError(failure: unknown, { caller, system, systemResource }: VersionedWrite): unknown {
  const { contract } = caller;
  if (contract.mapping === null || !(failure instanceof ApiError)) return failure;
  const { status, code, message, headers, cause } = failure;
  const newest = system.contract.model;
  const ofCode = resourceByCode(code, [...newest.resources.values()]);
  const stored = ofCode ?? systemResource.resource;
  const older = contract.model.resources.get(stored.name);
  if (older === undefined) return failure;
  const mapping = contract.mapping.resources.get(stored.name) ?? null;
  const { hidden } = system.permission.fields(stored.name);
  const details = failure.details.map((detail) => {
    const translated = olderContractDetail(detail, mapping);
    return hidden.has(translated.field.split(/[.[]/, 1)[0] ?? '') ? NOT_VALID : translated;
  });
  const names = new Map([
    [stored.singular, older.singular],
    ...collectionNames(contract.model, newest),
    ...failure.details.flatMap(({ field }, index) => fieldNames(field, details[index]?.field ?? field)),
  ]);
  const findName = (word: string): string | null =>
    names.get(word) ?? (mapping === null ? null : olderPath(word, mapping));
  const olderCode = ofCode === null ? code : `${older.code}${code.slice(ofCode.code.length)}`;
  return new ApiError(status, olderCode, withNames(message, findName), { details, headers, cause });
}

/** The name of the field of an error, and that of its list: `codes[2]` and `codes`. */
function fieldNames(field: string, older: string): readonly (readonly [string, string])[] {
  const [list = '', olderList = ''] = [field, older].map((path) => path.split('[', 1)[0]);
  return list === field
    ? [[field, older]]
    : [
        [field, older],
        [list, olderList],
      ];
}

/** The older path of a word that can only be a path: `codes[2]`, `place.city`, `list_price`. null for other words. */
function olderPath(word: string, mapping: ResourceMapping): string | null {
  const [name = ''] = word.split(/[.[]/, 1);
  if (!/[.[_]/.test(word) || !mapping.stored.field.has(name)) return null;
  return mapping.nameOf(word) ?? NOT_VALID.field;
}

/**
 * Maps the names of collections in messages. A collection that the older contract does not have gets a general name.
 */
function collectionNames({ resources }: Model, newest: Model): readonly (readonly [string, string])[] {
  return [...newest.resources.values()].flatMap((resource) => {
    const older = resources.get(resource.name);
    const name = older === undefined ? 'of a newer version' : linkName(older);
    return name === resource.name ? [] : [[resource.name, name] as const];
  });
}

/** The error of a field that the caller does not know. */
const NOT_VALID: ErrorDetail = { field: 'body', message: 'is not valid' };

/**
 * Translates a detail of the newest contract. An error of a field that the caller's does not know is one of the whole
 * body. Messages name items and members alone.
 */
export function olderContractDetail(detail: ErrorDetail, mapping: ResourceMapping | null): ErrorDetail {
  if (mapping === null) return detail;
  const field = mapping.nameOf(detail.field);
  if (field === null) return NOT_VALID;
  return { field, message: withNames(detail.message, (word) => olderPath(word, mapping)) };
}

/** Describes a value without a counterpart in the newest contract, by the name of its field in the caller's. */
export function conversionDetail(
  { version, resource, field, message }: ConversionError,
  { caller, system }: Pick<VersionedWrite, 'caller' | 'system'>,
): ErrorDetail {
  const { versions } = system.contract.model;
  const findIndex = (text: string): number => versions.findIndex((each) => versionText(each.version) === text);
  const between = versions.slice(findIndex(version) + 1, findIndex(versionText(caller.contract.model.version)) + 1);
  const name = between.reduce<string | null>((newer, { changes }) => {
    const own = changes.find(
      (each) => newer !== null && each.resource === resource && newerPaths(each).includes(newer),
    );
    return own === undefined ? newer : (olderPaths(own)[0] ?? null);
  }, field);
  return name === null ? NOT_VALID : { field: name, message };
}

/** Finds the resource that an error code belongs to: of several prefixes, the longest. */
function resourceByCode(code: string, resources: readonly Resource[]): Resource | null {
  const own = resources.filter((each) => code.startsWith(`${each.code}_`));
  return own.toSorted((one, other) => other.code.length - one.code.length)[0] ?? null;
}

/** Replaces names and paths in a message, as whole words. */
function withNames(message: string, find: (word: string) => string | null): string {
  return message.replaceAll(/[a-z](?:[\w.]|\[\d+\])*(?<!\.)/g, (word) => find(word) ?? word);
}
