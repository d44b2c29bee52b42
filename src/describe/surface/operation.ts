import type { BodyUse } from '../../conventions/media/body-type.ts';
import type { ResponseFormat } from '../../conventions/media/response-format.ts';
import type { Method } from '../../conventions/methods.ts';
import type { Resource } from '../../model/model.ts';
import type { RouteKind } from '../../plan/routes/route-table.ts';
import type { SurfaceParameter } from './filter-parameters.ts';

/** The kinds of operations. HEAD is of the kind of its GET. */
export type OperationKind =
  | 'list'
  | 'query'
  | 'get'
  | 'create'
  | 'replace'
  | 'patch'
  | 'delete'
  | 'options'
  | 'document'
  /** The description itself. */
  | 'description'
  | 'health'
  | 'batch'
  /** A batch that was run. */
  | 'batch-record'
  /** Pages of the event log and its feed, and one event. */
  | 'events'
  | 'event';

/** The callers that an operation admits. */
export interface OperationAccess {
  /** True if it needs credentials. */
  readonly authenticated: boolean;
  /** The scopes that it needs, all of them. */
  readonly scopes: readonly string[];
}

/** The header fields of requests that descriptions name for single operations. */
export type OperationField =
  | 'Idempotency-Key'
  | 'If-Match'
  | 'If-None-Match'
  | 'If-Modified-Since'
  | 'If-Unmodified-Since'
  | 'Last-Event-ID'
  | 'Prefer';

/** A header field that an operation reads. */
export interface FieldUse {
  readonly name: OperationField;
  readonly required: boolean;
}

/** Codes by status, in ascending order of both. */
export type CodesByStatus = ReadonlyMap<number, readonly string[]>;

/** The part of an operation from which its errors follow. */
export interface OperationTarget {
  readonly kind: OperationKind;
  /** null for routes without a resource, and for OPTIONS. */
  readonly resource: Resource | null;
  /** The resources above it, the nearest first. */
  readonly above: readonly Resource[];
}

/** One method of one route of a contract. */
export interface SurfaceOperation extends OperationTarget {
  readonly method: Method;
  readonly route: RouteKind;
  /** `/api/v1/products/{id}`. */
  readonly path: string;
  readonly access: OperationAccess;
  readonly query: readonly SurfaceParameter[];
  readonly fields: readonly FieldUse[];
  /** null for a method without a body. */
  readonly body: BodyUse | null;
  /** The formats of its route, the default first. */
  readonly formats: readonly ResponseFormat[];
  /** The statuses of success, in ascending order. */
  readonly successes: readonly number[];
  readonly errors: CodesByStatus;
}
