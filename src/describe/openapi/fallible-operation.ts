import type { Resource } from '../../model/model.ts';

/** An operation, by what it can fail of. */
export interface FallibleOperation {
  readonly kind:
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
  /** null for what belongs to no resource. */
  readonly resource: Resource | null;
  /** The resources above it, the nearest first. */
  readonly above: readonly Resource[];
  readonly access: OperationAccess;
}

/** Who may call an operation. */
export interface OperationAccess {
  /** Whether it needs credentials. */
  readonly authenticated: boolean;
  /** The scopes that it needs, all of them. */
  readonly scopes: readonly string[];
}
