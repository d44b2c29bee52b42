import path from 'node:path';
import type { Datasets } from './datasets.ts';
import type { Programs } from './programs.ts';
import {
  FASTIFY,
  FEATHERS,
  BASELINE,
  JSON_SERVER,
  RESTWRIGHT,
  PLATFORMATIC,
  type QueryDialect,
} from './query-dialect.ts';

/** A server in the comparison. */
export interface Contender {
  readonly id:
    | 'baseline'
    | 'restwright'
    | 'existing'
    | 'bare-fastify'
    | 'fastify'
    | 'platformatic'
    | 'feathers'
    | 'json-server';
  readonly name: string;
  readonly dialect: QueryDialect;
  /** The ids of its rows. */
  readonly keys: 'ids' | 'numbers';
  /** The Node.js program and its arguments, with a dataset of its own. */
  readonly args: (data: Datasets, programs: Programs) => readonly string[];
  /** The npm package of another framework; null for servers in this checkout. */
  readonly package: string | null;
}

export const MODEL: string = path.join(import.meta.dirname, 'model.yaml');
export const PEERS: string = path.resolve(import.meta.dirname, '../peers');

/** The contender that ratios refer to: the fastest that stores its rows. */
export const REFERENCE: Contender['id'] = 'bare-fastify';

export const CONTENDERS: readonly Contender[] = [
  {
    id: 'baseline',
    name: '`node:http`, fixed buffer',
    dialect: BASELINE,
    keys: 'ids',
    args: (_data, { baseline }) => [baseline],
    package: null,
  },
  {
    id: 'restwright',
    name: 'Restwright',
    dialect: RESTWRIGHT,
    keys: 'ids',
    args: (data, { restwright }) => [
      restwright,
      'serve',
      MODEL,
      '--port',
      '0',
      '--database',
      `sqlite:${data.restwright}`,
    ],
    package: null,
  },
  {
    id: 'bare-fastify',
    name: 'Fastify, bare',
    dialect: FASTIFY,
    keys: 'numbers',
    args: (data, { fastify }) => [fastify, data.table('bare-fastify', { id: 'integer', time: 'integer' }), 'bare'],
    package: null,
  },
  {
    id: 'fastify',
    name: 'Fastify by hand',
    dialect: FASTIFY,
    keys: 'ids',
    args: (data, { fastify }) => [fastify, data.table('fastify')],
    package: null,
  },
  peer('platformatic', 'Platformatic DB', PLATFORMATIC, '@platformatic/db', (data) =>
    data.table('platformatic', { id: 'uuid', time: 'text' }),
  ),
  peer('feathers', 'Feathers', FEATHERS, '@feathersjs/feathers', (data) => data.table('feathers')),
  peer('json-server', 'json-server', JSON_SERVER, 'json-server', (data) => data.document()),
];

function peer(
  id: Contender['id'],
  name: string,
  dialect: QueryDialect,
  from: string,
  file: (data: Datasets) => string,
): Contender {
  return {
    id,
    name,
    dialect,
    keys: 'ids',
    package: from,
    args: (data) => [path.join(PEERS, id, 'server.js'), file(data)],
  };
}
