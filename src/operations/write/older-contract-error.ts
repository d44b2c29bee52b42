import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import { linkName } from '../../model/link-name.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { ResourceMapping } from '../../versions/resource-mapping.ts';
import type { Authorized } from '../../pipeline/authorize.ts';
import type { CompiledResource, Contract } from '../../contract/contract.ts';

/** A write through a contract that may be older. */
interface VersionedWrite {
  /** Of the caller. */
  readonly contract: Contract;
  /** Its contract is the newest one, in whose terms a write fails. */
  readonly request: Pick<Authorized, 'contract' | 'permission'>;
  /** The resource that is written, in the newest contract. */
  readonly compiled: Pick<CompiledResource, 'resource'>;
}

/** Runs what fails in the terms of the newest contract. @throws {ApiError} in those of the caller's */
export async function inCallersTerms<T>(write: VersionedWrite, run: () => T | Promise<T>): Promise<T> {
  if (write.contract.mapping === null) return run();
  try {
    return await run();
  } catch (error) {
    throw olderContractError(error, write);
  }
}

/** A failure in the terms of the caller's contract: its error code, its names of resources and fields (VER-5, ERR-2). */
export function olderContractError(failure: unknown, { contract, request, compiled }: VersionedWrite): unknown {
  if (contract.mapping === null || !(failure instanceof ApiError)) return failure;
  const { status, code, message, headers, cause } = failure;
  const newest = request.contract.model;
  const ofCode = resourceOfCode(code, [...newest.resources.values()]);
  const stored = ofCode ?? compiled.resource;
  const older = contract.model.resources.get(stored.name);
  if (older === undefined) return failure;
  const mapping = contract.mapping.resources.get(stored.name) ?? null;
  const { hidden } = request.permission.fields(stored.name);
  const details = failure.details.map((detail) => {
    const translated = olderContractDetail(detail, mapping);
    return hidden.has(translated.field.split(/[.[]/, 1)[0] ?? '') ? NOT_VALID : translated;
  });
  const names = new Map([
    [stored.singular, older.singular],
    ...collectionNames(contract.model, newest),
    ...failure.details.map(({ field }, index) => [field, details[index]?.field ?? field] as const),
  ]);
  const olderCode = ofCode === null ? code : `${older.code}${code.slice(ofCode.code.length)}`;
  return new ApiError(status, olderCode, withNames(message, names), { details, headers, cause });
}

/** The names of collections in messages. One that the older contract does not have is named in general. */
function collectionNames({ resources }: Model, newest: Model): readonly (readonly [string, string])[] {
  return [...newest.resources.values()].flatMap((resource) => {
    const older = resources.get(resource.name);
    const name = older === undefined ? 'of a newer version' : linkName(older);
    return name === resource.name ? [] : [[resource.name, name] as const];
  });
}

/** The error of a field that the caller does not know. */
const NOT_VALID: ErrorDetail = { field: 'body', message: 'is not valid' };

/** A detail of values that were judged by the newest contract. What the caller's does not know is an error of the whole body. Messages name no fields. */
export function olderContractDetail(detail: ErrorDetail, mapping: ResourceMapping | null): ErrorDetail {
  if (mapping === null) return detail;
  const field = mapping.nameOf(detail.field);
  return field === null ? NOT_VALID : { ...detail, field };
}

/** The resource whose error code it is: of several prefixes, the longest. */
function resourceOfCode(code: string, resources: readonly Resource[]): Resource | null {
  const own = resources.filter((each) => code.startsWith(`${each.code}_`));
  return own.toSorted((one, other) => other.code.length - one.code.length)[0] ?? null;
}

/** A message with other names, as whole words. */
function withNames(message: string, names: ReadonlyMap<string, string>): string {
  return message.replaceAll(/[a-z][\w.]*\w|[a-z]/g, (word) => names.get(word) ?? word);
}
