import { type ResponseFormat, type FormatOffer, formatOffers } from '../conventions/response-format.ts';
import type { Model } from '../model/model.ts';

/** What a path can name. */
export type RouteKind = 'server' | 'live' | 'ready' | 'root' | 'collection' | 'item' | 'batches' | 'batch';

/** The formats in which each route answers, the default first (NEG-1). */
const FORMATS: Readonly<Record<RouteKind, readonly ResponseFormat[]>> = {
  server: ['json'],
  live: ['json'],
  ready: ['json'],
  root: ['json', 'xml', 'text'],
  collection: ['json', 'xml', 'text', 'csv', 'ndjson'],
  item: ['json', 'xml', 'text'],
  batches: ['json'],
  batch: ['json'],
};

/** The forms of answers by what is answered, compiled once: POST answers with the resource that it made. */
export class ResponseFormats {
  readonly #offers: ReadonlyMap<RouteKind, readonly FormatOffer[]>;
  readonly #lines: readonly FormatOffer[];

  constructor({ name, version }: Model) {
    const kinds: readonly RouteKind[] = ['server', 'live', 'ready', 'root', 'collection', 'item', 'batches', 'batch'];
    this.#offers = new Map(kinds.map((kind) => [kind, formatOffers(name, version, FORMATS[kind])]));
    this.#lines = formatOffers(name, version, ['ndjson']);
  }

  /** @param lines whether the request is one resource a line, and so is the answer (MET-13) */
  of(kind: RouteKind, method: string, lines: boolean): readonly FormatOffer[] {
    if (lines) return this.#lines;
    return this.#offers.get(kind === 'collection' && method === 'POST' ? 'item' : kind) ?? [];
  }
}
