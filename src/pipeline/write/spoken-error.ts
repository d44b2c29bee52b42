import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import { linkName } from '../../model/link-name.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { ResourceMapping } from '../../versions/resource-mapping.ts';
import type { Authorized } from '../authorize.ts';
import type { Contract } from '../contract.ts';

/** The contract of the caller, and the newest one, in whose terms a write fails. */
interface Speaker {
  readonly contract: Contract;
  readonly request: Pick<Authorized, 'contract' | 'permission'>;
}

/** Runs what fails in the terms of the newest contract. @throws {ApiError} in those of the caller's */
export async function speaking<T>(speaker: Speaker, run: () => T | Promise<T>): Promise<T> {
  if (speaker.contract.mapping === null) return run();
  try {
    return await run();
  } catch (error) {
    throw spokenError(error, speaker);
  }
}

/** A failure in the terms of the caller's contract: its error code, its names of resource and fields (VER-5, ERR-2). */
export function spokenError(failure: unknown, { contract, request }: Speaker): unknown {
  if (contract.mapping === null || !(failure instanceof ApiError)) return failure;
  const { status, code, message, headers, cause } = failure;
  const stored = resourceOfCode(code, [...request.contract.model.resources.values()]);
  const older = stored === null ? undefined : contract.model.resources.get(stored.name);
  if (stored === null || older === undefined) return failure;
  const mapping = contract.mapping.resources.get(stored.name) ?? null;
  const { hidden } = request.permission.fields(stored.name);
  const details = failure.details.map((detail) => {
    const spoken = spokenDetail(detail, mapping);
    return hidden.has(spoken.field.split(/[.[]/, 1)[0] ?? '') ? NOT_VALID : spoken;
  });
  const words = new Map([
    [stored.singular, older.singular],
    ...collectionNames(contract.model, request.contract.model),
    ...failure.details.map(({ field }, index) => [field, details[index]?.field ?? field] as const),
  ]);
  return new ApiError(status, `${older.code}${code.slice(stored.code.length)}`, reworded(message, words), {
    details,
    headers,
    cause,
  });
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

/** Details of values that were judged by the newest contract. */
export function spokenDetail(detail: ErrorDetail, mapping: ResourceMapping | null): ErrorDetail {
  if (mapping === null) return detail;
  const field = mapping.nameOf(detail.field);
  // What the caller's contract does not know is an error of the whole.
  if (field === null) return NOT_VALID;
  return { field, message: reworded(detail.message, new Map([[detail.field, field]])) };
}

/** The resource whose error code it is: of several prefixes, the longest. */
function resourceOfCode(code: string, resources: readonly Resource[]): Resource | null {
  const own = resources.filter((each) => code.startsWith(`${each.code}_`));
  return own.toSorted((one, other) => other.code.length - one.code.length)[0] ?? null;
}

/** Names are replaced as whole words. */
function reworded(text: string, words: ReadonlyMap<string, string>): string {
  return text.replaceAll(/[a-z][\w.]*\w|[a-z]/g, (word) => words.get(word) ?? word);
}
