import { type ErrorCode, errors, type ResourceErrorCode, resourceErrors } from '../../conventions/errors.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { DescribedContract } from '../described-contract.ts';
import type { OperationKind, OperationTarget } from './operation.ts';

/** An error code with its status. */
export type CodeWithStatus = readonly [code: string, status: number];

/** The writes of webhooks whose bodies have a URL (EVT-7). */
const WITH_URL: ReadonlySet<OperationKind> = new Set(['create', 'replace', 'patch']);

/**
 * The errors of an operation that have the code of a resource: its own, those above it, and those that a delete
 * reaches.
 */
export function resourceErrorCodes(
  { kind, resource, above }: OperationTarget,
  { model, isNewest }: Pick<DescribedContract, 'model' | 'isNewest'>,
): readonly CodeWithStatus[] {
  if (kind === 'batch-record') return [['BATCH_NOT_FOUND', resourceErrors.NOT_FOUND]];
  if (kind === 'event') return [['EVENT_NOT_FOUND', resourceErrors.NOT_FOUND]];
  if (kind === 'batch') return operationCodes(model);
  const hidden = above.flatMap((each) => absentCodes(each).map((code) => withStatus(each, code)));
  if (resource === null || kind === 'options') return hidden;
  const own = listResourceCodes(kind, resource).map((code) => withStatus(resource, code));
  const reached = kind === 'delete' ? cascadeCodes(resource, model) : [];
  // Resources that refer to it may be of a newer version only.
  const newer = kind === 'delete' && !isNewest ? [withStatus(resource, 'HAS_DEPENDENTS')] : [];
  return [...own, ...webhookCodes(kind, resource, model), ...reached, ...newer, ...hidden];
}

/** The errors of webhooks and their replays. */
function webhookCodes(kind: OperationKind, { name }: Resource, { webhooks }: Model): readonly CodeWithStatus[] {
  const codes: ErrorCode[] = [];
  if (name === webhooks?.resources.webhooks && WITH_URL.has(kind)) codes.push('WEBHOOK_URL_FORBIDDEN');
  if (name === webhooks?.resources.replays && kind === 'create') codes.push('EVENT_POSITION_EXPIRED');
  return codes.map((code) => [code, errors[code]]);
}

/** An atomic batch fails with the error of any of its operations. */
function operationCodes({ resources }: Model): readonly CodeWithStatus[] {
  const writes = ['create', 'replace', 'patch', 'delete'] as const;
  const writable = [...resources.values()].filter(({ readOnly }) => !readOnly);
  return writable.flatMap((resource) =>
    writes.flatMap((kind) => listResourceCodes(kind, resource).map((code) => withStatus(resource, code))),
  );
}

function withStatus({ code }: Resource, suffix: ResourceErrorCode): CodeWithStatus {
  return [`${code}_${suffix}`, resourceErrors[suffix]];
}

function listResourceCodes(kind: OperationKind, resource: Resource): readonly ResourceErrorCode[] {
  switch (kind) {
    case 'list':
    case 'query':
      return ['PRECONDITION_FAILED'];
    case 'get':
      return ['PRECONDITION_FAILED', ...absentCodes(resource)];
    case 'create':
      // The row of a replay may be hidden by now.
      return [
        'PRECONDITION_FAILED',
        'INVALID',
        ...(resource.rows.read.length > 0 ? (['NOT_FOUND'] as const) : []),
        ...writeCodes(resource, 'create'),
      ];
    case 'replace':
    case 'patch': {
      // PUT creates the row of an id that a client chooses.
      const isCreated = kind === 'replace' && resource.id.kind === 'client';
      const absent = isCreated ? (['NOT_FOUND'] as const) : absentCodes(resource);
      return ['PRECONDITION_FAILED', ...absent, 'INVALID', ...writeCodes(resource, kind)];
    }
    case 'delete':
      return ['PRECONDITION_FAILED', ...absentCodes(resource), ...writeCodes(resource, 'delete')];
    case 'options':
    case 'document':
    case 'description':
    case 'health':
    case 'batch':
    case 'batch-record':
    case 'events':
    case 'event':
      return [];
  }
}

/** The codes of an absent row: a deleted one may be gone for a time, if the model says so (MET-4). */
function absentCodes({ tombstones }: Resource): readonly ResourceErrorCode[] {
  return tombstones === null ? ['NOT_FOUND'] : ['NOT_FOUND', 'GONE'];
}

/** The codes with which a write may be refused, besides the form of its body. */
function writeCodes(resource: Resource, kind: 'create' | 'replace' | 'patch' | 'delete'): readonly ResourceErrorCode[] {
  const { hooks, state, uniques, id, table } = resource;
  const hasHooks =
    hooks.refine !== null || hooks.check.size > 0 || Object.values(hooks.before).some((hook) => hook !== null);
  const isHooked = hasHooks || resource.fields.some(({ generator }) => generator?.kind === 'code');
  const choosesId = (kind === 'create' || kind === 'replace') && id.kind === 'client';
  // A table that exists may have rules that the model does not know.
  const isTakeable = uniques.length > 0 || table !== null || choosesId;
  const hasState = state !== null && kind !== 'delete';
  const rules: readonly (readonly [holds: boolean, code: ResourceErrorCode])[] = [
    [isHooked && kind === 'delete', 'INVALID'],
    [isHooked || isRuled(resource, kind) || mayLackFill(resource, kind), 'FORBIDDEN'],
    [isHooked || hasState || kind === 'patch' || table !== null, 'CONFLICT'],
    [kind !== 'delete' && isTakeable, 'ALREADY_EXISTS'],
  ];
  return rules.filter(([holds]) => holds).map(([, code]) => code);
}

/** True if there are rules on the rows or fields that a caller may write. */
function isRuled({ rows, fieldAccess }: Resource, kind: 'create' | 'replace' | 'patch' | 'delete'): boolean {
  const hasRules = [rows.create, rows.update, rows.delete].some((rules) => rules.length > 0);
  return hasRules || (kind !== 'delete' && [...fieldAccess.values()].some(({ write }) => write !== null));
}

/** True if a new row needs a value of its caller, which that may not have (AUTH-12). */
function mayLackFill({ id, fields }: Resource, kind: 'create' | 'replace' | 'patch' | 'delete'): boolean {
  const creates = kind === 'create' || (kind === 'replace' && id.kind === 'client');
  return creates && fields.some(({ fill, required }) => required && fill?.override === false);
}

/** The codes of the rows that a delete deletes: others refer to them, or their hooks refuse. */
function cascadeCodes(resource: Resource, model: Model): readonly CodeWithStatus[] {
  return deletedWith(resource, model).flatMap((each) => [
    ...(each.dependents.length > 0 || each.table !== null ? [withStatus(each, 'HAS_DEPENDENTS')] : []),
    ...(each.hooks.before.delete === null ? [] : HOOK_REASONS.map((reason) => withStatus(each, reason))),
  ]);
}

/** The codes with which hooks refuse a write. */
const HOOK_REASONS = ['INVALID', 'FORBIDDEN', 'CONFLICT'] as const;

/** The resources of the rows that a delete may delete. */
function deletedWith(resource: Resource, { resources }: Model): readonly Resource[] {
  const reached = new Map([[resource.name, resource]]);
  for (const each of reached.values()) {
    for (const { resource: name, onDelete } of each.dependents) {
      const target = resources.get(name);
      if (onDelete === 'cascade' && target !== undefined) reached.set(name, target);
    }
  }
  return [...reached.values()];
}
