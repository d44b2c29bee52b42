import { withArticle } from '../../conventions/text/article.ts';
import { linkName } from '../../model/link-name.ts';
import type { Resource } from '../../model/model.ts';
import type { CodesByStatus, SurfaceOperation, OperationAccess } from '../surface/operation.ts';
import { words } from '../surface/placed-resource.ts';
import { requireOperation, type ResourceSurface } from '../surface/surface.ts';
import { sampleBody, sampleChange } from '../page/sample-body.ts';

/** One method of a collection or of an item, with what the form starts with. */
export interface DocsOperation {
  readonly kind: DocsOperationKind;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly access: OperationAccess;
  /** null where the method takes no body. */
  readonly body: string | null;
  /** True if the request must name the state of the resource that it changes. */
  readonly needsMatch: boolean;
  readonly needsKey: boolean;
  /** The response to a request that succeeds. */
  readonly success: string;
  readonly errors: CodesByStatus;
}

type DocsOperationKind = 'list' | 'create' | 'get' | 'replace' | 'patch' | 'delete';

const METHODS = { list: 'GET', create: 'POST', get: 'GET', replace: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const READ_KINDS: readonly DocsOperationKind[] = ['list', 'get'];
const KINDS: readonly DocsOperationKind[] = ['list', 'create', 'get', 'replace', 'patch', 'delete'];

/** The codes that every operation has: they stand once on the page. */
export function commonCodes(operations: readonly DocsOperation[]): CodesByStatus {
  const [first, ...others] = operations.map(({ errors }) => new Set([...errors.values()].flat()));
  const common = others.reduce((all, each) => all.intersection(each), first ?? new Set<string>());
  return selected(operations[0]?.errors ?? new Map(), (code) => common.has(code));
}

/** Codes without those that every operation has. */
export function withoutCommon(codes: CodesByStatus, common: CodesByStatus): CodesByStatus {
  return selected(codes, (code, status) => common.get(status)?.includes(code) !== true);
}

function selected(codes: CodesByStatus, holds: (code: string, status: number) => boolean): CodesByStatus {
  const kept = [...codes].map(([status, each]) => [status, each.filter((code) => holds(code, status))] as const);
  return new Map(kept.filter(([, each]) => each.length > 0));
}

/**
 * Describes the operations of a resource in the order of the page. HEAD, QUERY and OPTIONS are as GET, or the same for
 * all.
 */
export function docsOperations(described: ResourceSurface): readonly DocsOperation[] {
  const { resource, collection, item } = described;
  const kinds = resource.readOnly ? READ_KINDS : KINDS;
  return kinds.map((kind) => {
    const method = METHODS[kind];
    const operation = requireOperation(kind === 'list' || kind === 'create' ? collection : item, method);
    const { path, access, errors, fields } = operation;
    return {
      kind,
      method,
      path,
      summary: writeSummary(kind, resource),
      access,
      body: writeBody(kind, described),
      needsMatch: fields.some(({ name, required }) => name === 'If-Match' && required),
      needsKey: fields.some(({ name, required }) => name === 'Idempotency-Key' && required),
      success: writeSuccess(kind, operation),
      errors,
    };
  });
}

function writeSummary(kind: DocsOperationKind, resource: Resource): string {
  const one = withArticle(words(resource.singular));
  switch (kind) {
    case 'list':
      return `List ${words(linkName(resource))}`;
    case 'create':
      return `Create ${one}`;
    case 'get':
      return `Get ${one}`;
    case 'replace':
      return resource.id.kind === 'client' ? `Create or replace ${one}` : `Replace ${one}`;
    case 'patch':
      return `Change ${one}`;
    case 'delete':
      return `Delete ${one}`;
  }
}

/** Writes the statuses of success, each with its cause. */
function writeSuccess(kind: DocsOperationKind, { resource, successes }: SurfaceOperation): string {
  const one = `the ${words(resource?.singular ?? '')}`;
  const phrases = successes.map((status) => `${status}${writeCause(status, kind, one)}`);
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} or ${phrases.at(-1)}`;
}

function writeCause(status: number, kind: DocsOperationKind, one: string): string {
  switch (status) {
    case 200:
      if (kind === 'list') return ' with a page';
      if (kind === 'create') return ` with ${one} of a dry run, or the results of NDJSON`;
      return kind === 'delete' ? ` with ${one} of a dry run` : ` with ${one}`;
    case 201:
      return ` with the new ${one.slice('the '.length)}`;
    case 204:
      return kind === 'delete' ? '' : ' with Prefer: return=minimal';
    default:
      return ' if nothing has changed';
  }
}

/** A body to start with. The id of an item is in its path. */
function writeBody(kind: DocsOperationKind, described: ResourceSurface): string | null {
  const { id: _named, ...replacement } = sampleBody(described);
  switch (kind) {
    case 'create':
      return JSON.stringify(sampleBody(described), null, 2);
    case 'replace':
      return JSON.stringify(replacement, null, 2);
    case 'patch':
      return JSON.stringify(sampleChange(described), null, 2);
    case 'list':
    case 'get':
    case 'delete':
      return null;
  }
}
