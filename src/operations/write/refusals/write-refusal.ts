import { writeNoun } from '../../../conventions/text/article.ts';
import { type ApiError, type ErrorDetail, apiError, resourceError } from '../../../conventions/errors.ts';
import type { CompiledResource } from '../../../contract/contract.ts';
import type { Resource } from '../../../model/model.ts';
import { MAX_INDEX_SIZE } from '../../../plan/list/index-size.ts';
import type { Refusal } from '../../../plan/write-unit.ts';
import type { Caller } from '../../caller.ts';
import {
  DANGLING,
  forbidden,
  hasDependents,
  idTaken,
  invalid,
  keyInProgress,
  notFound,
  valuesTaken,
} from '../../failures.ts';

/** The message for an indexed value that is too long (LIM-1). */
const TOO_LONG = `is too long: it is indexed, and the values of an index have at most ${MAX_INDEX_SIZE} bytes together; send a shorter one`;

/** The write that the store refused. */
export interface RefusedWrite {
  /** Absent where it is the system. */
  readonly caller?: Pick<Caller, 'contract'>;
  readonly system: Pick<Caller, 'contract' | 'permission'>;
  /** The resource of the plan that failed. */
  readonly systemResource: CompiledResource;
}

/** Makes the error of a write that the store refused. */
export function writeRefusal(refusal: Refusal, write: RefusedWrite): Error {
  const { system, systemResource } = write;
  const { resource } = systemResource;
  const hidden = hiddenNames(write);
  switch (refusal.kind) {
    case 'exists':
      return idTaken(resource);
    case 'unique':
      return valuesTaken(
        resource,
        refusal.fields.filter((field) => !hidden.has(field)),
      );
    case 'reference':
    case 'too-long':
      return invalid(resource, refusedFields(refusal, hidden));
    case 'ancestor':
      return notFound(system.contract.resourceOf(refusal.resource).resource);
    case 'dependents':
      // The store finds a row that began to refer to this one after the cascade was planned.
      return hasDependents(resource, null);
    case 'rule':
      return ruleError(resource, refusal, hidden);
    case 'recorded':
      return keyInProgress();
    case 'stale':
      return apiError(
        'SERVER_OVERLOADED',
        `This ${writeNoun(resource.singular)} is changed by too many writes at a time; try again.`,
      );
    case 'expired':
      return apiError('SERVER_TIMEOUT', 'The write waited too long and was not made; try again.');
  }
}

/** The meaning of a rule of a table of another program that has no comment. */
const RULES = {
  invalid: 'is not allowed by a rule of the database',
  conflict: 'conflicts with another row by a rule of the database',
  forbidden: 'is not allowed by a policy of the database',
} as const;

function ruleError(
  resource: Resource,
  { reason, field, message }: Extract<Refusal, { kind: 'rule' }>,
  hidden: ReadonlySet<string>,
): ApiError {
  const named = field === null || hidden.has(field) ? 'body' : field;
  const details = [{ field: named, message: message ?? RULES[reason] }];
  switch (reason) {
    case 'invalid':
      return invalid(resource, details);
    case 'forbidden':
      return forbidden(resource, `This write ${RULES.forbidden}.`);
    case 'conflict': {
      const text = `This ${writeNoun(resource.singular)} ${RULES.conflict}.`;
      return resourceError(resource.code, 'CONFLICT', text, { details });
    }
  }
}

/** Names that the caller may not read. Those of an older contract are removed when the error is translated to it. */
function hiddenNames({ caller, system, systemResource: { resource } }: RefusedWrite): ReadonlySet<string> {
  const isOlder = caller?.contract.mapping?.resources.has(resource.name) === true;
  return isOlder ? new Set() : system.permission.fields(resource.name).hidden;
}

/** @param hidden names of fields that the caller may not read */
function refusedFields(
  { kind, fields }: Extract<Refusal, { kind: 'reference' | 'too-long' }>,
  hidden: ReadonlySet<string>,
): readonly ErrorDetail[] {
  const message = kind === 'reference' ? DANGLING : TOO_LONG;
  return fields.map((field) => ({ field: hidden.has(field) ? 'body' : field, message }));
}
