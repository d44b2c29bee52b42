import type { ErrorDetail } from './errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { type Pointer, parsePointer } from './json-pointer.ts';
import { type PatchFailure, MutableDocument } from './mutable-document.ts';

/** One operation of a JSON Patch (RFC 6902 4). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: Json }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

export type ParsedJsonPatch =
  | { readonly kind: 'operations'; readonly operations: readonly PatchOperation[] }
  /** The body is no JSON Patch: its faults by their paths in the body, `[2].path`; '' is the body itself. */
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** What a patch came to. Of one that fails nothing is applied; `operation` is the index of the one that failed. */
export type PatchOutcome =
  | { readonly kind: 'patched'; readonly document: Json }
  /** The document is not as the operation says: a `test` fails, a path leads nowhere. */
  | { readonly kind: 'conflict'; readonly operation: number; readonly message: string }
  /** The guard refused this pointer. */
  | { readonly kind: 'forbidden'; readonly operation: number; readonly pointer: Pointer }
  /** The document would become too large or too deep. */
  | { readonly kind: 'excess'; readonly operation: number; readonly message: string };

/** Whether a patch may see, or change, what a pointer names or would name; asked before the document is looked at. */
export type Guard = (pointer: Pointer, access: 'read' | 'write') => 'allowed' | 'forbidden';

/** Most operations of one patch. */
export const MAX_OPERATIONS = 1000;

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

/** Members that no document has (REP-7), so that no patch can make them. */
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks that a body is a JSON Patch and reads it (RFC 6902 3, 4). Unknown members of an operation are ignored. */
export function parseJsonPatch(body: Json): ParsedJsonPatch {
  if (!Array.isArray(body))
    return { kind: 'invalid', details: [{ field: '', message: 'must be an array of operations' }] };
  if (body.length > MAX_OPERATIONS) {
    return { kind: 'invalid', details: [{ field: '', message: `must have at most ${MAX_OPERATIONS} operations` }] };
  }
  const faults: ErrorDetail[] = [];
  const operations: PatchOperation[] = [];
  for (const [index, item] of body.entries()) {
    const operation = parseOperation(item, (member, message) => faults.push({ field: `[${index}]${member}`, message }));
    if (operation !== null) operations.push(operation);
  }
  return faults.length > 0 ? { kind: 'invalid', details: faults } : { kind: 'operations', operations };
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
  if (pointer === null) report(`.${name}`, 'must be a JSON Pointer: empty, or starting with a slash');
  else if (pointer.some((token) => UNSAFE.has(token))) report(`.${name}`, 'names a member that no resource can have');
  else return pointer;
  return null;
}

/**
 * Applies a JSON Patch (RFC 6902): all of its operations in order, or none. The document is not changed.
 *
 * @param guard which pointers are open to the patch; all of them where it is left out
 */
export function applyJsonPatch(
  document: Json,
  operations: readonly PatchOperation[],
  guard: Guard = () => 'allowed',
): PatchOutcome {
  const copy = new MutableDocument(document);
  for (const [index, operation] of operations.entries()) {
    const pointer = forbiddenPointer(operation, guard);
    if (pointer !== null) return { kind: 'forbidden', operation: index, pointer };
    const failure = applyOperation(operation, copy);
    if (failure !== null) {
      const message = `Operation ${index} (${operation.op}): ${failure.reason}`;
      return { kind: failure.kind, operation: index, message };
    }
  }
  return { kind: 'patched', document: copy.document };
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

function applyOperation(operation: PatchOperation, copy: MutableDocument): PatchFailure | null {
  const { path } = operation;
  switch (operation.op) {
    case 'add':
      return copy.add(path, operation.value);
    case 'replace':
      return copy.replace(path, operation.value);
    case 'remove':
      return copy.remove(path);
    case 'move':
      return copy.move(operation.from, path);
    case 'copy':
      return copy.copy(operation.from, path);
    case 'test':
      return copy.test(path, operation.value);
  }
}
