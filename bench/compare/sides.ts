import path from 'node:path';
import type { Data } from './data.ts';
import type { Dialect } from './dialect.ts';
import type { WorkId } from './works.ts';

/** A server that is compared. */
export interface Side {
  readonly id: 'floor' | 'restwright' | 'by-hand';
  readonly name: string;
  readonly dialect: Dialect;
  /** A program for Node and its arguments, on data of its own. */
  readonly args: (data: Data) => readonly string[];
}

const COMMAND = path.resolve(import.meta.dirname, '../../bin/restwright.js');
export const MODEL: string = path.join(import.meta.dirname, 'model.yaml');

const named = (name: string) => (value: string) => `${name}=${value}`;

const ours: Dialect = {
  collection: '/api/v1/products',
  words: {
    limit: named('limit'),
    offset: named('offset'),
    after: named('last_id'),
    category: named('category'),
    priceFrom: named('price[gte]'),
    sort: named('sort'),
  },
  change: 'PATCH',
  lacks: {},
};

const byHand: Dialect = { ...ours, words: { ...ours.words, after: named('after'), priceFrom: named('price_from') } };

const FIXED = 'answers from fixed buffers and stores nothing';
const writes: readonly WorkId[] = ['post', 'patch', 'post-alone', 'patch-alone', 'mixed'];

/** The one that the others are measured by. */
export const MEASURE: Side['id'] = 'by-hand';

export const SIDES: readonly Side[] = [
  {
    id: 'floor',
    name: 'node:http, fixed buffer',
    dialect: { ...byHand, lacks: lacking(writes, FIXED) },
    args: () => [path.join(import.meta.dirname, 'raw-server.ts')],
  },
  {
    id: 'restwright',
    name: 'Restwright',
    dialect: ours,
    args: (data) => [COMMAND, 'serve', MODEL, '--port', '0', '--database', `sqlite:${data.ours}`],
  },
  {
    id: 'by-hand',
    name: 'Fastify by hand',
    dialect: byHand,
    args: ({ table }) => [path.join(import.meta.dirname, 'fastify-server.ts'), table('by-hand')],
  },
];

function lacking(works: readonly WorkId[], reason: string): Dialect['lacks'] {
  return Object.fromEntries(works.map((work) => [work, reason]));
}
