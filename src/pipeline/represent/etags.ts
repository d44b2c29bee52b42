import { type ETagsByLength, strongETag } from '../../conventions/headers/etag.ts';
import { isCompressible } from '../../formats/compress.ts';
import { relatedResources } from '../../plan/condition.ts';
import type { ListQuery } from '../../plan/list/list-query.ts';
import type { Row } from '../../plan/plan.ts';
import { type Partition, partitionOf } from '../../plan/list/partitions.ts';
import { EVERYTHING, type Visibility, visibleConditions } from '../../plan/visibility.ts';
import type { Negotiated } from '../negotiate.ts';
import type { Modified } from '../read/item-cache.ts';
import type { StampedRows, VisibleRows } from '../read/visible-rows.ts';
import { selfQuery } from './page-metadata.ts';
import type { Variant } from './variants.ts';

/** Characters of the digest that distinguishes views of one row. */
const VIEW_CHARACTERS = 12;

/** The cache epoch of the database: what was last changed before it began was changed by it. */
export interface Epoch extends Modified {
  readonly id: string;
}

/**
 * Makes every ETag. One depends on the row or page, and on the *contract* (media type, carrier, epoch), the *permission* and the content coding that is applied;
 * that of a page on the *visibility* too, by the stamps of what it is made of. None depends on an identity.
 */
export class ETags {
  readonly epoch: Epoch;
  /** Of 22 characters. */
  readonly digest: (content: string | Uint8Array) => string;
  readonly #variantOf: (request: Negotiated) => Variant;

  /** @param variantOf of {@link compileVariants} */
  constructor(
    epoch: Epoch,
    digest: (content: string | Uint8Array) => string,
    variantOf: (request: Negotiated) => Variant,
  ) {
    this.epoch = epoch;
    this.digest = digest;
    this.#variantOf = variantOf;
  }

  /**
   * Of a row: its revision, and everything else that its bytes depend on (CACHE-1).
   *
   * @param view distinguishes it from other views of the row
   */
  item(request: Negotiated, { revision }: Pick<Row, 'revision'>, view = ''): ETagsByLength {
    // Clients choose views, so there is any number of them.
    return this.#byLength(request, (variant) =>
      strongETag(revision, view === '' ? variant : this.digest(`${variant} ${view}`).slice(0, VIEW_CHARACTERS)),
    );
  }

  /** Of what is named by its bytes. */
  content(request: Negotiated, body: string | Uint8Array): string {
    return this.named(request, this.digest(body), body);
  }

  /** Of what is named by its bytes, whose digest is known. */
  named(request: Negotiated, named: string, body: string | Uint8Array): string {
    return etagOf(
      this.#byLength(request, (variant) => strongETag(named, variant)),
      body,
    );
  }

  /**
   * Of a page, without reading a row (CACHE-2): the request, and the stamps of all resources that any part of the page is taken from.
   *
   * @param stamps of {@link stampedRows}
   */
  collection(request: Negotiated, query: ListQuery, stamps: readonly number[]): ETagsByLength {
    const { plan } = query;
    const visible = visibilityOf(query, request.rows);
    const permitted = relatedPermission(query, request);
    const state = JSON.stringify([plan.resource, plan.within, selfQuery(query), stamps, ...visible, ...permitted]);
    const named = this.digest(state);
    return this.#byLength(request, (variant) => strongETag(named, variant));
  }

  /** Names everything that the JSON of a row depends on besides the row. */
  variantKey(request: Negotiated): string {
    return this.#variantOf(request).id;
  }

  #byLength(request: Negotiated, etag: (variant: string) => string): ETagsByLength {
    const { id, coded } = this.#variantOf(request);
    return { short: etag(id), long: etag(coded[request.exchange.coding]) };
  }
}

/** The ETag of a body: it follows the coding that the body gets, not the one that was requested. */
export function etagOf({ short, long }: ETagsByLength, body: string | Uint8Array): string {
  return isCompressible(body) ? long : short;
}

/**
 * The rows that a page is made of: its own, those above it, those that its filter reads, all that are expanded within it, and those by which policies
 * decide what the caller sees of these. Of a resource of which the caller sees one partition, those of the partition alone.
 */
export function stampedRows(
  query: ListQuery,
  { rows, contract }: Pick<Negotiated, 'rows' | 'contract'>,
): readonly StampedRows[] {
  const { own, related } = partsOf(query);
  const visibilities = visibilitiesOf(query, rows);
  const judging = visibilities.flatMap((visible) => relatedResources(visibleConditions(visible)));
  const seen = [...own, ...related].map((resource, index): StampedRows => {
    const visible = visibilities[index] ?? EVERYTHING;
    return { resource, partition: partitionOf(contract.resourceOf(resource).stored, visible) };
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

/** What the caller sees of each resource of a page; nothing where the caller sees everything. */
function visibilityOf(query: ListQuery, rows: VisibleRows): readonly string[] {
  const all = visibilitiesOf(query, rows);
  if (all.every(({ kind }) => kind === 'everything')) return [];
  return all.map((visible) => (visible.kind === 'conditions' ? visible.digest : visible.kind));
}

/** The *permission*, where fields of related rows depend on it: the variant has it where those of the rows themselves do. */
function relatedPermission(query: ListQuery, { contract, permission }: Negotiated): readonly string[] {
  if (!contract.hasFieldRules) return [];
  const isShared = partsOf(query).related.every((name) => contract.resourceOf(name).resource.sameForEveryCaller);
  return isShared ? [] : [permission.id];
}

function visibilitiesOf(query: ListQuery, rows: VisibleRows): readonly Visibility[] {
  const { own, related } = partsOf(query);
  return [...own.map((name) => rows.visibility(name)), ...related.map((name) => rows.visibilityAnywhere(name))];
}

interface PageParts {
  /** Its own resource, and those above it. */
  readonly own: readonly string[];
  /** Those of related rows, wherever they are. */
  readonly related: readonly string[];
}

function partsOf({ plan, view }: ListQuery): PageParts {
  const own = [plan.resource, ...plan.within.map(({ resource }) => resource)];
  return { own, related: [...relatedResources(plan.filter), ...view.expanded.map(({ name }) => name)] };
}
