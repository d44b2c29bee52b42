import type { ErrorDetail } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { type Pointer, parsePointer } from './json-pointer.ts';
import { type PatchFailure, MutableDocument, type RemovedMembers } from './mutable-document.ts';

/** One operation of a JSON Patch (RFC 6902 4). */
type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: Json }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

type ParsedJsonPatch =
  | { readonly kind: 'operations'; readonly operations: readonly PatchOperation[] }
  /** The body is not a JSON Patch. Each `field` is a path in the body, `[2].path`; '' is the body itself. */
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** The result of a patch. If it fails, nothing is applied, and `operation` is the index of the failed operation. */
type PatchOutcome =
  | { readonly kind: 'patched'; readonly document: Json; readonly removed: RemovedMembers }
  /** The document does not match the operation: a `test` fails or a path does not exist. */
  | { readonly kind: 'conflict'; readonly operation: number; readonly message: string }
  /** The guard rejected this pointer. */
  | { readonly kind: 'forbidden'; readonly operation: number; readonly pointer: Pointer }
  /** The document would become too large or too deep. */
  | { readonly kind: 'excess'; readonly operation: number; readonly message: string };

/** True if a patch may read or write the location of a pointer. It is called before the document is read. */
export type Guard = (pointer: Pointer, access: 'read' | 'write') => 'allowed' | 'forbidden';

/** Maximum number of operations in one patch. */
export const MAX_OPERATIONS = 1000;

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

/** Member names that no document may have (REP-7). */
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses a body as a JSON Patch (RFC 6902 3, 4). Unknown members of an operation are ignored. */
export function parseJsonPatch(body: Json): ParsedJsonPatch {
  if (!Array.isArray(body))
    return { kind: 'invalid', details: [{ field: '', message: 'must be an array of operations' }] };
  if (body.length > MAX_OPERATIONS) {
    return { kind: 'invalid', details: [{ field: '', message: `must have at most ${MAX_OPERATIONS} operations` }] };
  }
  const details: ErrorDetail[] = [];
  const operations: PatchOperation[] = [];
  for (const [index, item] of body.entries()) {
    const operation = parseOperation(item, (member, message) =>
      details.push({ field: `[${index}]${member}`, message }),
    );
    if (operation !== null) operations.push(operation);
  }
  return details.length > 0 ? { kind: 'invalid', details } : { kind: 'operations', operations };
}

type ReportDetail = (member: string, message: string) => void;

function parseOperation(item: Json, report: ReportDetail): PatchOperation | null {
  if (!isJsonObject(item)) {
    report('', 'must be an object');
    return null;
  }
  const path = pointerMember(item, 'path', report);
  const op = OPERATIONS.find((name) => name === item['op']);
  switch (op) {
    case 'add':
    case 'replace':
    case 'test': {
      const { value } = item;
      if (value === undefined) report('.value', 'is required');
      return path === null || value === undefined ? null : { op, path, value };
    }
    case 'remove':
      return path === null ? null : { op, path };
    case 'move':
    case 'copy': {
      const from = pointerMember(item, 'from', report);
      return path === null || from === null ? null : { op, from, path };
    }
    case undefined:
      report('.op', `must be one of ${OPERATIONS.join(', ')}`);
      return null;
  }
}

function pointerMember(item: JsonObject, name: 'path' | 'from', report: ReportDetail): Pointer | null {
  const text = item[name];
  const pointer = typeof text === 'string' ? parsePointer(text) : null;
  if (pointer === null) report(`.${name}`, 'must be a JSON Pointer: empty, or a path that begins with /');
  else if (pointer.some((token) => UNSAFE.has(token)))
    report(`.${name}`, 'must not contain __proto__, constructor or prototype');
  else return pointer;
  return null;
}

/**
 * Applies a JSON Patch (RFC 6902): all of its operations in order, or none. The given document is not changed.
 *
 * @param guard which pointers the patch may use; default: all
 */
export function applyJsonPatch(
  document: Json,
  operations: readonly PatchOperation[],
  guard: Guard = () => 'allowed',
): PatchOutcome {
  const target = new MutableDocument(document);
  for (const [index, operation] of operations.entries()) {
    const pointer = forbiddenPointer(operation, guard);
    if (pointer !== null) return { kind: 'forbidden', operation: index, pointer };
    const failure = applyOperation(operation, target);
    if (failure !== null) {
      const message = `Operation ${index} (${operation.op}): ${failure.reason}`;
      return { kind: failure.kind, operation: index, message };
    }
  }
  return { kind: 'patched', document: target.document, removed: target.removed };
}

function forbiddenPointer(operation: PatchOperation, guard: Guard): Pointer | null {
  const { op, path } = operation;
  if (op === 'copy' || op === 'move') {
    const { from } = operation;
    if (guard(from, 'read') === 'forbidden') return from;
    if (op === 'move' && guard(from, 'write') === 'forbidden') return from;
  }
  return guard(path, op === 'test' ? 'read' : 'write') === 'forbidden' ? path : null;
}

function applyOperation(operation: PatchOperation, target: MutableDocument): PatchFailure | null {
  const { path } = operation;
  switch (operation.op) {
    case 'add':
      return target.add(path, operation.value);
    case 'replace':
      return target.replace(path, operation.value);
    case 'remove':
      return target.remove(path);
    case 'move':
      return target.move(operation.from, path);
    case 'copy':
      return target.copy(operation.from, path);
    case 'test':
      return target.test(path, operation.value);
  }
}
