import { OracleCollection, type Comparison, type Item } from './oracle-collection.ts';
import { errorPrefix, fulfils, isShown, type RuledCaller, type RuledResource, type Rule } from './ruled-model.ts';
import {
  findField,
  parentField,
  references,
  type Relation,
  type Revision,
  type RuledRow,
  type RuledRows,
  readValue,
} from './ruled-rows.ts';
import type { FieldKind } from './values.ts';

/** The expected response to a request. */
export interface Expected {
  readonly status: number;
  /** The error code. */
  readonly code?: string;
  /** Fields of `details`, in any order. */
  readonly fields?: readonly string[];
  /** True if one of the fields is enough. */
  readonly anyField?: boolean;
  /** True if it may be refused for another reason, too. */
  readonly anyRefusal?: boolean;
  /** The body as JSON, with marks for what the oracle cannot know. Absent where none is sent. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A placeholder in an expected body for a value that the server makes. */
export class Mark {
  readonly accepts: (served: unknown) => boolean;

  constructor(accepts: (served: unknown) => boolean) {
    this.accepts = accepts;
  }
}

export const ANYTHING = new Mark(() => true);

/** A revision is learned from the first answer that has it. */
function revisionMark(revision: Revision): Mark {
  return new Mark((served) => {
    revision.known ??= typeof served === 'number' ? served : null;
    return served === revision.known;
  });
}

/** A request that names what does not exist is refused, for this or for what else is wrong with it. */
const UNKNOWN: Expected = { status: 400, anyRefusal: true };

/** A row as JSON. */
export interface Representation {
  readonly links: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** A page that a cursor leads to: of the rows after, or before, those values. */
export interface CursorPlace {
  readonly query: string;
  readonly values: Item;
  readonly backward: boolean;
}

/** A reading of a collection. */
export interface ListRequest {
  readonly resource: RuledResource;
  /** Ids of the ancestors, outermost first. */
  readonly within: readonly string[];
  readonly comparisons: readonly Comparison[];
  readonly alternatives: readonly (readonly Comparison[])[];
  readonly search: string | null;
  readonly sort: readonly string[];
  readonly limit: number;
  readonly position: Position;
  readonly total: boolean | null;
  readonly expand: readonly string[];
  readonly fields: readonly string[] | null;
}

export type Position =
  | { readonly kind: 'first' }
  | { readonly kind: 'page' | 'offset'; readonly number: number }
  | { readonly kind: 'last_id'; readonly id: string }
  | { readonly kind: 'seek'; readonly time: string; readonly id: string }
  | { readonly kind: 'cursor'; readonly token: string; readonly place: CursorPlace };

/** Answers to reads, from plain rows (section 5 and 6 of the contract). */
export class RuledReads {
  readonly rows: RuledRows;

  constructor(rows: RuledRows) {
    this.rows = rows;
  }

  /** The refusal of an operation for a caller; null if it is allowed. */
  refusal(rules: readonly Rule[], caller: RuledCaller): Expected | null {
    if (rules.every((rule) => fulfils(rule, caller))) return null;
    return caller.scopes === null
      ? { status: 401, code: 'AUTH_REQUIRED' }
      : { status: 403, code: 'AUTH_SCOPE_INSUFFICIENT' };
  }

  /** The resources that paths of relations lead through. */
  through(resource: RuledResource, path: readonly string[]): readonly RuledResource[] {
    const [first, ...rest] = path;
    if (first === undefined) return [];
    const { target } = this.rows.relation(resource, first);
    return [target, ...this.through(target, rest)];
  }

  /** Finds out if the fields of a relation exist for a caller. */
  #isPassable(caller: RuledCaller, resource: RuledResource, { kind, target, field }: Relation): boolean {
    return field === null || isShown(findField(kind === 'inverse' ? target : resource, field), caller);
  }

  /** Finds out if a request names a field that does not exist for the caller. */
  #namesHidden(
    caller: RuledCaller,
    resource: RuledResource,
    { fields, expand, ...rest }: Pick<ListRequest, 'fields' | 'expand'> & Partial<ListRequest>,
  ): boolean {
    const { comparisons = [], alternatives = [], sort = [] } = rest;
    const paths = [
      ...(fields ?? []),
      ...expand,
      ...sort.map((key) => key.replace(/^-/, '')),
      ...[...comparisons, ...alternatives.flat()].map(({ path }) => path),
    ];
    return paths.some((path) => this.#isHidden(caller, resource, path.split('.')));
  }

  #isHidden(caller: RuledCaller, resource: RuledResource, [first = '', ...rest]: readonly string[]): boolean {
    const relation = this.rows.relations(resource).find(({ name }) => name === first);
    if (relation === undefined) return !isShown(findField(resource, first), caller);
    if (!this.#isPassable(caller, resource, relation)) return true;
    return rest.length > 0 && this.#isHidden(caller, relation.target, rest);
  }

  missing(caller: RuledCaller, resource: RuledResource, path: readonly string[]): Expected | null {
    const hidden = this.rows.hiddenAncestor(caller, resource, path);
    return hidden === null ? null : notFound(hidden);
  }

  item(
    caller: RuledCaller,
    resource: RuledResource,
    path: readonly string[],
    view: Pick<ListRequest, 'expand' | 'fields'>,
  ): Expected {
    const denied = this.refusal([resource.read], caller);
    if (denied !== null) return denied;
    if (this.#namesHidden(caller, resource, view)) return UNKNOWN;
    const refused = this.refusal(this.#expandedRules(resource, view.expand), caller);
    if (refused !== null) return refused;
    const missing = this.missing(caller, resource, path);
    if (missing !== null) return missing;
    const row = this.rows.get(resource, path);
    if (row === null || !this.rows.sees(caller, row)) return notFound(resource);
    return { status: 200, body: this.shown(caller, row, view) };
  }

  list(caller: RuledCaller, request: ListRequest): Expected {
    const { resource, within, expand, sort, limit, position, total } = request;
    const filtered = [...request.comparisons, ...request.alternatives.flat()].flatMap(({ path }) =>
      this.#filterRules(resource, path),
    );
    const denied = this.refusal([resource.read], caller);
    if (denied !== null) return denied;
    if (this.#namesHidden(caller, resource, request)) return UNKNOWN;
    const refused = this.refusal([...filtered, ...this.#expandedRules(resource, expand)], caller);
    if (refused !== null) return refused;
    const missing = this.missing(caller, resource, [...within, '']);
    if (missing !== null) return missing;
    const found = this.#matching(caller, request);
    const order = readOrder(resource, position.kind === 'last_id' && sort.length === 0 ? ['id'] : sort);
    const sorted = [...found].sort((one, other) => this.#compare(resource, order, toItem(one), toItem(other)));
    const { start, page } = this.#window(request, order, sorted);
    const counts = total ?? (position.kind === 'page' || position.kind === 'offset');
    const data = page.map((row) => this.shown(caller, row, request));
    const body = {
      data,
      page: {
        ...this.#positionMembers(request, { sorted, start, page, order }),
        limit,
        count: page.length,
        has_more: hasNext(position, { sorted, start, page }),
        ...(counts
          ? { total_count: sorted.length, total_count_relation: 'eq', total_pages: Math.ceil(sorted.length / limit) }
          : {}),
      },
      links: ANYTHING,
    };
    return { status: 200, body };
  }

  /** @returns the index of the first row of the page, too */
  #window({ resource, limit, position }: ListRequest, order: Order, sorted: readonly RuledRow[]) {
    const after = (values: Item): number =>
      sorted.filter((row) => this.#compare(resource, order, toItem(row), values) <= 0).length;
    const sliced = (start: number, end = start + limit) => ({ start, page: sorted.slice(start, end) });
    switch (position.kind) {
      case 'first':
        return sliced(0);
      case 'page':
        return sliced((position.number - 1) * limit);
      case 'offset':
        return sliced(position.number);
      case 'last_id':
        return sliced(after({ id: position.id }));
      case 'seek':
        return sliced(after({ id: position.id, created_at: position.time }));
      case 'cursor': {
        const { values, backward } = position.place;
        if (!backward) return sliced(after(values));
        const end = sorted.filter((row) => this.#compare(resource, order, toItem(row), values) < 0).length;
        return sliced(Math.max(0, end - limit), end);
      }
    }
  }

  #positionMembers(request: ListRequest, { sorted, start, page, order }: Window & { readonly order: Order }) {
    const { position } = request;
    switch (position.kind) {
      case 'page':
      case 'offset':
        return { technique: position.kind, [position.kind]: position.number };
      case 'last_id':
        return { technique: 'keyset', last_id: position.id };
      case 'seek':
        return { technique: 'seek', after_timestamp: position.time, after_id: position.id };
      case 'first':
      case 'cursor': {
        const query = cursorQuery(request, order);
        const next = hasNext(position, { sorted, start, page }) ? page.at(-1) : undefined;
        // After a cursor there is a way back, whether or not the caller sees a row there.
        const isAfter = position.kind === 'cursor' && !position.place.backward;
        const prev = start > 0 || isAfter ? page.at(0) : undefined;
        const place = (row: RuledRow | undefined, backward: boolean) =>
          row === undefined ? null : new CursorMark({ query, values: toItem(row), backward });
        return {
          technique: 'cursor',
          after: position.kind === 'cursor' ? position.token : null,
          next_cursor: place(next, false),
          prev_cursor: page.length === 0 ? ANYTHING : place(prev, true),
        };
      }
    }
  }

  #matching(
    caller: RuledCaller,
    { resource, within, comparisons, alternatives, search }: ListRequest,
  ): readonly RuledRow[] {
    const searched = Object.entries(resource.fields)
      .filter(([, field]) => field.searched)
      .map(([name]) => name);
    const visible = this.rows.of(resource).filter((row) => isBelow(row, within) && this.rows.sees(caller, row));
    return visible.filter((row) => {
      const holds = (all: readonly Comparison[]): boolean => this.#allHold(caller, row, all);
      return (
        holds(comparisons) &&
        (alternatives.length === 0 || alternatives.some(holds)) &&
        new OracleCollection({}, searched).matches({ comparisons: [], search, order: [] }, toItem(row))
      );
    });
  }

  /** Comparisons through one relation hold for one row that the caller sees (QRY-1). */
  #allHold(caller: RuledCaller, row: RuledRow, comparisons: readonly Comparison[]): boolean {
    const grouped = Map.groupBy(comparisons, ({ path }) =>
      path.includes('.') ? path.slice(0, path.indexOf('.')) : '',
    );
    return [...grouped].every(([name, those]) => {
      if (name === '') return those.every((each) => satisfies(row.resource, toItem(row), each));
      const relation = this.rows.relation(row.resource, name);
      const related = this.rows
        .related(row, relation)
        .filter((each) => this.rows.sees(caller, each))
        .map(toItem);
      const candidates = related.length === 0 && relation.kind === 'one' ? [{ id: null as never }] : related;
      return candidates.some((item) =>
        those.every((each) => satisfies(relation.target, item, { ...each, path: each.path.slice(name.length + 1) })),
      );
    });
  }

  #compare(resource: RuledResource, order: Order, one: Item, other: Item): number {
    return new OracleCollection(listKinds(resource)).compare(order, one, other);
  }

  #filterRules(resource: RuledResource, path: string): readonly Rule[] {
    return path.includes('.') ? [this.rows.relation(resource, path.slice(0, path.indexOf('.'))).target.read] : [];
  }

  #expandedRules(resource: RuledResource, expand: readonly string[]): readonly Rule[] {
    return expand.flatMap((path) => this.through(resource, path.split('.')).map(({ read }) => read));
  }

  /** A row as a caller gets it. */
  shown(caller: RuledCaller, row: RuledRow, view: Pick<ListRequest, 'expand' | 'fields'>): Representation {
    return this.narrowed(caller, row.resource, this.whole(caller, row, view));
  }

  /** With all fields of the row itself. */
  whole(
    caller: RuledCaller,
    row: RuledRow,
    { expand, fields }: Pick<ListRequest, 'expand' | 'fields'>,
  ): Representation {
    const names = [parentField(row.resource), ...Object.keys(row.resource.fields), 'created_at', 'updated_at'].filter(
      (name) => name !== null,
    );
    const chosen = fields === null ? names : names.filter((name) => fields.includes(name));
    const byRelation = Map.groupBy(expand, (path) => path.split('.')[0] ?? '');
    const expanded = [...byRelation].map(([name, paths]) => {
      const rest = paths.flatMap((path) => (path.includes('.') ? [path.slice(path.indexOf('.') + 1)] : []));
      return [name, this.#expanded(caller, row, this.rows.relation(row.resource, name), rest)];
    });
    return {
      id: row.path.at(-1),
      ...Object.fromEntries(chosen.map((name) => [name, readValue(row, name)])),
      revision: revisionMark(row.revision),
      ...Object.fromEntries(expanded),
      links: this.#links(row),
    };
  }

  /** A representation without what does not exist for a caller (REP-11). */
  narrowed(caller: RuledCaller, resource: RuledResource, { links, ...members }: Representation): Representation {
    const relations = this.rows.relations(resource).filter((each) => !this.#isPassable(caller, resource, each));
    const only = <T>(all: Readonly<Record<string, T>>, isKept: (name: string) => boolean): Record<string, T> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)));
    return {
      ...only(members, (name) => isShown(findField(resource, name), caller)),
      links: only(links, (link) => !relations.some(({ name }) => name === link)),
    };
  }

  #expanded(caller: RuledCaller, row: RuledRow, relation: Relation, expand: readonly string[]): unknown {
    const related = this.rows.related(row, relation).filter((each) => this.rows.sees(caller, each));
    const view = { expand, fields: null };
    if (relation.kind === 'one') return related[0] === undefined ? null : this.shown(caller, related[0], view);
    const order = readOrder(relation.target, []);
    const sorted = [...related].sort((one, other) => this.#compare(relation.target, order, toItem(one), toItem(other)));
    return {
      data: sorted.slice(0, 20).map((each) => this.shown(caller, each, view)),
      page: {
        technique: 'cursor',
        limit: 20,
        count: Math.min(20, sorted.length),
        has_more: sorted.length > 20,
        after: null,
        next_cursor: ANYTHING,
        prev_cursor: null,
      },
      links: ANYTHING,
    };
  }

  #links(row: RuledRow): Readonly<Record<string, unknown>> {
    const { resource, path } = row;
    const one = references(resource).flatMap(({ field, as, target }) => {
      const [referred] = this.rows
        .of(this.rows.resource(target))
        .filter((each) => each.path.at(-1) === row.values[field]);
      return row.values[field] === null
        ? []
        : [[as, referred === undefined ? ANYTHING : rowUrl(this.rows, referred.resource, referred.path)]];
    });
    const many = this.rows.relations(resource).flatMap(({ name, kind, target, field }) => {
      if (kind === 'children') return [[name, `${rowUrl(this.rows, resource, path)}/${name}`]];
      return kind === 'inverse' && target.parent === null
        ? [[name, `/api/v1/${target.name}?${field}=${path.at(-1)}`]]
        : [];
    });
    const above = resource.parent === null ? null : this.rows.resource(resource.parent);
    return {
      self: rowUrl(this.rows, resource, path),
      collection: rowUrl(this.rows, resource, path.slice(0, -1)),
      ...(above === null ? {} : { up: rowUrl(this.rows, above, path.slice(0, -1)) }),
      ...Object.fromEntries([...one, ...many]),
    };
  }
}

/** A cursor, which the server seals: whoever plays the requests keeps what it stands for. */
export class CursorMark {
  readonly place: CursorPlace;

  constructor(place: CursorPlace) {
    this.place = place;
  }

  /** Hides the target of the relation. */
  toJSON(): null {
    return null;
  }
}

export function notFound(resource: RuledResource): Expected {
  return { status: 404, code: `${errorPrefix(resource)}_NOT_FOUND`, fields: [] };
}

/** The URL of a row, or of a collection where the path lacks the last id. */
export function rowUrl(rows: RuledRows, resource: RuledResource, path: readonly string[]): string {
  const names = [...rows.above(resource).toReversed(), resource].map(({ name }) => name);
  return `/api/v1${names.map((name, level) => `/${name}${path[level] === undefined ? '' : `/${path[level]}`}`).join('')}`;
}

interface Window {
  readonly sorted: readonly RuledRow[];
  readonly start: number;
  readonly page: readonly RuledRow[];
}

/**
 * An empty page leads nowhere, also one before the first row. A page before a position is followed by it, whoever sees
 * a row there.
 */
function hasNext(position: Position, { sorted, start, page }: Window): boolean {
  if (page.length === 0) return false;
  return (position.kind === 'cursor' && position.place.backward) || start + page.length < sorted.length;
}

type Order = readonly { readonly path: string; readonly descending: boolean }[];

function readOrder(_resource: RuledResource, sort: readonly string[]): Order {
  const keys = sort.length === 0 ? ['created_at', 'id'] : sort;
  return keys.map((key) => ({ path: key.replace(/^-/, ''), descending: key.startsWith('-') }));
}

/** The part of a query to which a cursor is bound. */
function cursorQuery({ resource, within, comparisons, alternatives, search }: ListRequest, order: Order): string {
  return JSON.stringify([resource.name, within, comparisons, alternatives, search, order]);
}

export function toItem(row: RuledRow): Item {
  const names = ['created_at', 'updated_at', parentField(row.resource), ...Object.keys(row.resource.fields)].filter(
    (name) => name !== null,
  );
  return { id: row.path.at(-1) ?? '', ...Object.fromEntries(names.map((name) => [name, readValue(row, name)])) };
}

function isBelow({ path }: RuledRow, within: readonly string[]): boolean {
  return within.every((id, level) => path[level] === id);
}

function listKinds(resource: RuledResource): Readonly<Record<string, FieldKind>> {
  const own = Object.keys(resource.fields).map((name) => [name, findField(resource, name).kind] as const);
  const parent = parentField(resource);
  return {
    ...Object.fromEntries(own),
    ...(parent === null ? {} : { [parent]: 'text' }),
    created_at: 'time',
    updated_at: 'time',
  };
}

function satisfies(resource: RuledResource, item: Item, comparison: Comparison): boolean {
  return new OracleCollection(listKinds(resource)).matches(
    { comparisons: [comparison], search: null, order: [] },
    item,
  );
}
