import type { Variant } from '../contract/variants.ts';
import { type CacheDirectives, combineDirectives } from '../conventions/headers/cache-control.ts';
import { type ETagsByLength, strongETag } from '../conventions/headers/etag.ts';
import { evaluateRead, listedETag, type Preconditions } from '../conventions/headers/preconditions.ts';
import { joinQueries, writeQuery } from '../conventions/url/query.ts';
import { isCompressible } from '../formats/compress.ts';
import type { Resource } from '../model/model.ts';
import type { Caller, Reader } from './caller.ts';
import { preconditionFailed } from './failures.ts';
import type { StampedRows, VisibleRows } from './visible-rows.ts';
import { relatedResources } from '../plan/condition.ts';
import type { ListQuery } from '../plan/list/list-query.ts';
import { type Partition, findPartition } from '../plan/list/partitions.ts';
import type { Row } from '../plan/plan.ts';
import { EVERYTHING, type Visibility, visibleConditions } from '../plan/visibility.ts';

/** Characters of the digest that distinguishes views of one row. */
const VIEW_CHARACTERS = 12;

/** A time of a change. */
export interface Modified {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The value of `Last-Modified`. */
  readonly date: string;
}

/** The cache epoch of the database. It counts as a change of every row that was last changed before it began. */
export interface Epoch extends Modified {
  readonly id: string;
}

/**
 * Makes every ETag. It depends on the row or page and, through its variant, on the *contract*, the *permission* and the
 * content coding. The ETag of a page also depends on the *visibility*, through the stamps of its resources. None
 * depends on an identity.
 */
export class ETags {
  readonly epoch: Epoch;
  /** Computes a digest of 22 characters. */
  readonly digest: (content: string | Uint8Array) => string;

  constructor(epoch: Epoch, digest: (content: string | Uint8Array) => string) {
    this.epoch = epoch;
    this.digest = digest;
  }

  /**
   * Names a row by its revision and everything else that its bytes depend on (CACHE-1).
   *
   * @param view distinguishes it from other views of the row
   */
  item(variant: Variant, { revision }: Pick<Row, 'revision'>, view = ''): ETagsByLength {
    if (view === '') return { short: strongETag(revision, variant.id), long: strongETag(revision, variant.coded) };
    // Clients choose views, so their number is unlimited.
    const named = (form: string): string => this.digest(`${form} ${view}`).slice(0, VIEW_CHARACTERS);
    return { short: strongETag(revision, named(variant.id)), long: strongETag(revision, named(variant.coded)) };
  }

  /** Names a document by its bytes. */
  content(variant: Variant, body: string | Uint8Array): string {
    return bodyETag(namedETags(variant, this.digest(body)), body);
  }

  /**
   * Names a page without reading a row (CACHE-2). The ETag depends on the query and the stamps of all resources in the
   * page.
   *
   * @param stamps of {@link stampedRows}
   */
  collection(
    variant: Variant,
    query: ListQuery,
    stamps: readonly number[],
    caller: Pick<Caller, 'rows' | 'contract' | 'permission'>,
  ): ETagsByLength {
    const { plan } = query;
    const visible = visibilityDigests(query, caller.rows);
    const permitted = relatedPermission(query, caller);
    const state = JSON.stringify([plan.resource, plan.within, selfQuery(query), stamps, ...visible, ...permitted]);
    return namedETags(variant, this.digest(state));
  }
}

/** Makes the ETags of a digest. */
export function namedETags({ id, coded }: Variant, digest: string): ETagsByLength {
  return { short: strongETag(digest, id), long: strongETag(digest, coded) };
}

/** Writes the query string of the page itself. */
export function selfQuery({ linkQuery, pagination }: ListQuery): string {
  return joinQueries(linkQuery, writeQuery(pagination.parameters));
}

/** Selects the ETag of a body by the coding that the body gets, not the requested one. */
export function bodyETag({ short, long }: ETagsByLength, body: string | Uint8Array): string {
  return isCompressible(body) ? long : short;
}

/**
 * Lists the rows that a page depends on: its own, those above it, those of its filter and its expansions, and those
 * that policies compare. If the caller sees only a partition of a resource, only its rows count.
 */
export function stampedRows(query: ListQuery, { rows, contract }: Reader): readonly StampedRows[] {
  const { own, related } = pageParts(query);
  const seenBy = visibilities(query, rows);
  const judging = seenBy.flatMap((visible) => relatedResources(visibleConditions(visible)));
  const seen = [...own, ...related].map((resource, index): StampedRows => {
    const visible = seenBy[index] ?? EVERYTHING;
    return { resource, partition: findPartition(contract.resourceOf(resource).stored, visible) };
  });
  const all = [...seen, ...judging.map((resource): StampedRows => ({ resource, partition: null }))];
  return all.filter(
    ({ resource, partition }, index) =>
      all.findIndex((each) => each.resource === resource && isSame(each.partition, partition)) === index,
  );
}

function isSame(one: Partition | null, other: Partition | null): boolean {
  return one?.field === other?.field && one?.value === other?.value;
}

/** Names the part of each resource of a page that the caller sees; empty if it sees everything. */
function visibilityDigests(query: ListQuery, rows: VisibleRows): readonly string[] {
  const all = visibilities(query, rows);
  if (all.every(({ kind }) => kind === 'everything')) return [];
  return all.map((visible) => (visible.kind === 'conditions' ? visible.digest : visible.kind));
}

/**
 * The *permission*, if fields of related rows depend on it. The variant names it if fields of the rows themselves do.
 */
function relatedPermission(
  query: ListQuery,
  { contract, permission }: Pick<Caller, 'contract' | 'permission'>,
): readonly string[] {
  if (!contract.hasFieldRules) return [];
  const isShared = pageParts(query).related.every((name) => contract.resourceOf(name).resource.sameForEveryCaller);
  return isShared ? [] : [permission.id];
}

function visibilities(query: ListQuery, rows: VisibleRows): readonly Visibility[] {
  const { own, related } = pageParts(query);
  return [...own.map((name) => rows.visibility(name)), ...related.map((name) => rows.visibilityAnywhere(name))];
}

interface PageParts {
  /** Its own resource, and those above it. */
  readonly own: readonly string[];
  /** Those of related rows, wherever they are. */
  readonly related: readonly string[];
}

function pageParts({ plan, view }: ListQuery): PageParts {
  const own = [plan.resource, ...plan.within.map(({ resource }) => resource)];
  return { own, related: [...relatedResources(plan.filter), ...view.expanded.map(({ name }) => name)] };
}

/** The selected representation of a read (RFC 9110 3.2): its validators, and the rules for caches. */
export interface SelectedRepresentation {
  /** null for a document without rows, such as the root. */
  readonly resource: Resource | null;
  /** The directives that the model declares for all resources in it; null if it declares none. */
  readonly cache: CacheDirectives | null;
  /** True if callers see different parts of other resources in it (NEG-3). */
  readonly variesByCaller: boolean;
  readonly etags: ETagsByLength;
  /** null if no `Last-Modified` is sent. */
  readonly lastModified: () => Modified | null;
}

const undated = (): null => null;

/** Selects the representation of a resource. @param others the resources that it shows or depends on besides */
export function selectResource(
  resource: Resource,
  others: readonly Resource[],
  etags: ETagsByLength,
  lastModified: SelectedRepresentation['lastModified'] = undated,
): SelectedRepresentation {
  const cache = others.map((each) => each.cache).reduce(combineDirectives, resource.cache);
  const variesByCaller = others.some((each) => !each.sameForEveryCaller);
  return { resource, cache, variesByCaller, etags, lastModified };
}

/** Selects the representation of a document that is no resource of the model. */
export function selectDocument(etag: string): SelectedRepresentation {
  const etags = { short: etag, long: etag };
  return { resource: null, cache: null, variesByCaller: false, etags, lastModified: undated };
}

/** True if the client's copy is current. @throws {ApiError} 412 */
export function isNotModified(preconditions: Preconditions, selected: SelectedRepresentation): boolean {
  const { etags, lastModified } = selected;
  const etag = listedETag(preconditions, etags) ?? etags.short;
  const verdict = evaluateRead(preconditions, { etag, lastModified });
  // The root has no state to guard by a condition, and so no error code for a failed one: it is sent anyway.
  if (verdict === 'failed' && selected.resource !== null) throw preconditionFailed(selected.resource);
  return verdict === 'not-modified';
}
