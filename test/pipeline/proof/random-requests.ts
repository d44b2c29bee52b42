import type { Random } from '../../../scripts/campaign/random.ts';
import type { Comparison } from '../../oracle/oracle-collection.ts';
import type { RuledField, RuledModel, RuledResource } from '../../oracle/ruled-model.ts';
import type { CursorPlace, ListRequest, Position } from '../../oracle/ruled-reads.ts';
import type { Relation, RuledRows } from '../../oracle/ruled-rows.ts';
import type { PatchOperation, WriteRequest } from '../../oracle/ruled-writes.ts';
import type { Value } from '../../oracle/values.ts';
import { KINDS, STATES, SUBJECTS, TENANTS } from './random-models.ts';

export const FORMATS = [
  'application/json',
  'application/json',
  'application/vnd.proof.v1+json',
  'application/xml',
  'text/plain',
] as const;
const LIST_FORMATS = [...FORMATS, 'application/x-ndjson', 'text/csv'] as const;
export type Format = (typeof LIST_FORMATS)[number];

/** The format of a body. Merge patches and JSON patches have media types of their own. */
export type Content = 'json' | 'xml' | 'form';

export type Request =
  | {
      readonly kind: 'item';
      readonly head: boolean;
      readonly resource: RuledResource;
      readonly path: readonly string[];
      readonly expand: readonly string[];
      readonly fields: readonly string[] | null;
      readonly format: Format;
    }
  | {
      readonly kind: 'list';
      readonly method: 'GET' | 'HEAD' | 'QUERY';
      readonly list: ListRequest;
      readonly format: Format;
    }
  | {
      readonly kind: 'write';
      readonly write: WriteRequest;
      readonly key: string | null;
      readonly content: Content;
      readonly format: Format;
    }
  | { readonly kind: 'batch'; readonly atomic: boolean; readonly operations: readonly WriteRequest[] }
  | {
      readonly kind: 'lines';
      readonly resource: RuledResource;
      readonly path: readonly string[];
      readonly bodies: readonly Readonly<Record<string, unknown>>[];
    }
  | { readonly kind: 'record'; readonly id: string }
  | { readonly kind: 'options'; readonly resource: RuledResource; readonly path: readonly string[] };

const IDS = ['a', 'b', 'c', 'd', 'e'];

/** A cursor that was served, and where it leads. */
export interface ServedCursor {
  readonly token: string;
  readonly place: CursorPlace;
  readonly list: ListRequest;
}

/** Cursors and batches that were served so far, from which later requests are made. */
export interface Known {
  readonly cursors: readonly ServedCursor[];
  readonly batches: readonly string[];
}

/** Makes requests about rows that are there, that were there and that never were. */
export class RandomRequests {
  readonly #random: Random;
  readonly #rows: RuledRows;
  readonly #resources: readonly RuledResource[];
  #memos = 0;

  constructor(model: RuledModel, rows: RuledRows, random: Random) {
    this.#random = random;
    this.#rows = rows;
    this.#resources = Object.values(model);
  }

  next(known: Known): Request {
    const random = this.#random;
    const kind = random.pick([
      'item',
      'item',
      'item',
      'list',
      'list',
      'list',
      'list',
      'write',
      'write',
      'write',
      'write',
      'batch',
      'lines',
      'record',
      'options',
    ] as const);
    const resource = random.pick(this.#resources);
    switch (kind) {
      case 'item': {
        const format = random.pick(FORMATS);
        return {
          kind,
          head: random.chance(0.15),
          resource,
          path: this.#path(resource),
          expand: this.#expand(resource),
          fields: this.#chosen(resource),
          format,
        };
      }
      case 'list':
        return this.#list(resource, known);
      case 'write':
        return this.#sent(this.#write(resource), random.chance(0.3) ? `key-${random.integer(1, 3)}` : null);
      case 'batch':
        return {
          kind,
          atomic: random.chance(0.5),
          operations: Array.from({ length: random.integer(1, 4) }, () => this.#operation()),
        };
      case 'lines':
        return {
          kind,
          resource,
          path: this.#path(resource).slice(0, -1),
          bodies: Array.from({ length: random.integer(1, 3) }, () => this.#body(resource, 'POST')),
        };
      case 'record':
        return known.batches.length === 0
          ? { kind: 'options', resource, path: this.#path(resource) }
          : { kind, id: random.pick(known.batches) };
      case 'options':
        return { kind, resource, path: this.#path(resource) };
    }
  }

  /** A row to begin with. */
  seed(): Request {
    const write = this.#plain(this.#random.pick(this.#resources), 'POST');
    return { kind: 'write', key: null, write, content: 'json', format: 'application/json' };
  }

  /** A value of another type than its field has is one in JSON alone. */
  #sent(write: WriteRequest, key: string | null): Request {
    const { body, resource } = write;
    const isTyped =
      body !== null &&
      !Array.isArray(body) &&
      Object.entries(body).every(([name, value]) => {
        const kind = resource.fields[name]?.kind ?? 'text';
        return value === null || typeof value === { text: 'string', number: 'number', boolean: 'boolean' }[kind];
      });
    const content = isTyped ? this.#random.pick(['json', 'json', 'xml', 'form'] as const) : 'json';
    return { kind: 'write', write, key, content, format: this.#random.pick(FORMATS) };
  }

  #operation(): WriteRequest {
    return { ...this.#write(this.#random.pick(this.#resources)), dry: false };
  }

  #write(resource: RuledResource): WriteRequest {
    const random = this.#random;
    const plain = this.#plain(resource, random.pick(['POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE']));
    const row = this.#rows.get(resource, plain.path);
    const isTagged = plain.method !== 'POST' && random.chance(0.2);
    return {
      ...plain,
      dry: random.chance(0.1),
      ifMatch: isTagged ? random.pick(['*', 0, row?.revision.known ?? 0] as const) : null,
      ifNoneMatch: !isTagged && plain.method !== 'POST' && random.chance(0.08),
      minimal: random.chance(0.1),
      lenient: random.chance(0.1),
    };
  }

  #plain(resource: RuledResource, method: WriteRequest['method']): WriteRequest {
    const path = this.#path(resource);
    const isPatch = method === 'PATCH' && this.#random.chance(0.25);
    return {
      method,
      resource,
      path: method === 'POST' ? path.slice(0, -1) : path,
      body: method === 'DELETE' ? null : isPatch ? this.#patch(resource) : this.#body(resource, method),
      dry: false,
      ifMatch: null,
      ifNoneMatch: false,
      minimal: false,
      lenient: false,
    };
  }

  /** The path of a row, of an absent one, or of one below other ancestors. */
  #path(resource: RuledResource): readonly string[] {
    const random = this.#random;
    const all = this.#rows.of(resource);
    if (all.length > 0 && random.chance(0.75)) return random.pick(all).path;
    const parent = resource.parent === null ? [] : this.#path(this.#rows.resource(resource.parent));
    return [...parent, random.pick(IDS)];
  }

  #body(resource: RuledResource, method: WriteRequest['method']): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const share = method === 'PATCH' ? 0.3 : 0.75;
    const members = Object.entries(resource.fields)
      .filter(([name, { readOnly, required }]) => required || name === 'memo' || random.chance(readOnly ? 0.1 : share))
      .map(([name, field]) => [name, this.#value(resource, name, field)] as const);
    return {
      ...(method === 'POST' && (resource.ids === 'client' || random.chance(0.03)) ? { id: random.pick(IDS) } : {}),
      ...Object.fromEntries(members),
      ...(random.chance(0.03) ? { bogus: 1 } : {}),
    };
  }

  #patch(resource: RuledResource): readonly PatchOperation[] {
    const random = this.#random;
    return Array.from({ length: random.integer(1, 2) }, () => {
      const [name, field] = random.pick(Object.entries(resource.fields));
      return {
        op: random.pick(['replace', 'replace', 'test']),
        path: `/${name}`,
        value: this.#value(resource, name, field),
      };
    });
  }

  #value(resource: RuledResource, name: string, { kind, members, reference, required }: RuledField): unknown {
    const random = this.#random;
    if (name === 'memo') return `memo${++this.#memos}`;
    if (random.chance(0.02)) return { text: 4, number: 'x', boolean: 'x' }[kind];
    if (!required && random.chance(0.2)) return null;
    if (kind === 'number') return random.integer(0, 3);
    if (kind === 'boolean') return random.chance(0.5);
    if (reference !== undefined) {
      const all = this.#rows.of(this.#rows.resource(reference.resource));
      return all.length > 0 && random.chance(0.85) ? random.pick(all).path.at(-1) : random.pick(IDS);
    }
    if (name === resource.state?.field) return random.pick(STATES.slice(0, random.chance(0.7) ? 2 : 3));
    if (members !== undefined) return random.pick(KINDS);
    if (name === 'tenant') return random.pick(TENANTS);
    if (name === 'owner_id') return random.pick(SUBJECTS);
    return random.pick(['red fox', 'blue', 'Red', 'fox den']);
  }

  #list(resource: RuledResource, known: Known): Request {
    const random = this.#random;
    const method = random.pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'QUERY'] as const);
    const format = random.pick(LIST_FORMATS);
    if (known.cursors.length > 0 && random.chance(0.3)) {
      const { token, place, list } = random.pick(known.cursors.slice(-12));
      return {
        kind: 'list',
        method,
        format: list.expand.length > 0 ? 'application/xml' : format,
        list: { ...list, position: { kind: 'cursor', token, place } },
      };
    }
    const names = ['id', 'created_at', ...Object.keys(resource.fields)];
    const position = this.#position(resource);
    const isOrdered = position.kind === 'last_id' || position.kind === 'seek';
    const sort = isOrdered
      ? []
      : random
          .some(names, 0.15)
          .slice(0, 3)
          .map((name) => (random.chance(0.4) ? `-${name}` : name));
    const list: ListRequest = {
      resource,
      within: this.#path(resource).slice(0, -1),
      comparisons: this.#comparisons(resource, 0.4),
      alternatives: random.chance(0.12) ? [1, 2].map(() => this.#comparisons(resource, 1)) : [],
      search: random.chance(0.1) ? random.pick(['red', 'fo', 'bl', 'red fox']) : null,
      sort,
      limit: random.pick([1, 2, 3, 20]),
      position,
      total: random.pick([null, null, true, false]),
      expand: format === 'text/csv' ? [] : this.#expand(resource),
      fields: this.#chosen(resource),
    };
    return { kind: 'list', method, format, list };
  }

  #position(resource: RuledResource): Position {
    const random = this.#random;
    const kind = random.pick(['first', 'first', 'page', 'offset', 'last_id', 'seek'] as const);
    const all = this.#rows.of(resource);
    const row = all.length > 0 ? random.pick(all) : null;
    if (kind === 'last_id') return { kind, id: row?.path.at(-1) ?? 'b' };
    if (kind === 'seek')
      return row === null ? { kind: 'first' } : { kind, time: row.created_at, id: row.path.at(-1) ?? '' };
    return kind === 'first' ? { kind } : { kind, number: random.integer(kind === 'page' ? 1 : 0, 3) };
  }

  #comparisons(resource: RuledResource, probability: number): readonly Comparison[] {
    const random = this.#random;
    if (!random.chance(probability)) return [];
    const all = Array.from({ length: random.integer(1, 2) }, () => this.#comparison(resource));
    return [...new Map(all.map((each) => [`${each.path}[${each.operator}]`, each])).values()];
  }

  #comparison(resource: RuledResource): Comparison {
    const random = this.#random;
    const relations = this.#rows.relations(resource);
    const relation = relations.length > 0 && random.chance(0.5) ? random.pick(relations) : null;
    const target = relation?.target ?? resource;
    const [name, field] = random.pick(Object.entries(target.fields).filter(([each]) => each !== 'memo'));
    const path = relation === null ? name : `${relation.name}.${name}`;
    const value = (): Value => this.#filterValue(target, name, field);
    if (random.chance(0.15)) return { path, operator: 'exists', values: [random.chance(0.5)] };
    if (field.kind === 'number') return { path, operator: random.pick(['eq', 'ne', 'gt', 'lte']), values: [value()] };
    if (field.kind === 'boolean') return { path, operator: random.pick(['eq', 'ne']), values: [value()] };
    return { path, operator: random.pick(['eq', 'ne', 'gt']), values: [value()] };
  }

  #filterValue(resource: RuledResource, name: string, field: RuledField): Value {
    const value = this.#value(resource, name, { ...field, required: true });
    const isRight = typeof value === { text: 'string', number: 'number', boolean: 'boolean' }[field.kind];
    if (isRight) return value as Value;
    return field.kind === 'number' ? 1 : field.kind === 'boolean' ? true : (field.members?.[0] ?? 'a');
  }

  #expand(resource: RuledResource): readonly string[] {
    const random = this.#random;
    if (!random.chance(0.3)) return [];
    const paths = random.some(this.#rows.relations(resource), 0.5).map((relation) => this.#expansion(relation));
    return paths.slice(0, 3);
  }

  #expansion({ name, target }: Relation): string {
    const deeper = this.#rows.relations(target);
    return deeper.length > 0 && this.#random.chance(0.3) ? `${name}.${this.#random.pick(deeper).name}` : name;
  }

  #chosen(resource: RuledResource): readonly string[] | null {
    const random = this.#random;
    return random.chance(0.85)
      ? null
      : [
          'memo',
          ...random.some(
            Object.keys(resource.fields).filter((name) => name !== 'memo'),
            0.3,
          ),
        ];
  }
}
