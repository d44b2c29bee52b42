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
  readonly id: 'baseline' | 'restwright' | 'fastify' | 'platformatic' | 'feathers' | 'json-server';
  readonly name: string;
  readonly dialect: QueryDialect;
  /** The Node.js program and its arguments, with a dataset of its own. */
  readonly args: (data: Datasets, programs: Programs) => readonly string[];
  /** The npm package of another framework; null for servers in this checkout. */
  readonly package: string | null;
}

export const MODEL: string = path.join(import.meta.dirname, 'model.yaml');
export const PEERS: string = path.resolve(import.meta.dirname, '../peers');

/** The contender that ratios refer to. */
export const REFERENCE: Contender['id'] = 'fastify';

export const CONTENDERS: readonly Contender[] = [
  {
    id: 'baseline',
    name: '`node:http`, fixed buffer',
    dialect: BASELINE,
    args: (_data, { baseline }) => [baseline],
    package: null,
  },
  {
    id: 'restwright',
    name: 'Restwright',
    dialect: RESTWRIGHT,
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
    id: 'fastify',
    name: 'Fastify by hand',
    dialect: FASTIFY,
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
  return { id, name, dialect, package: from, args: (data) => [path.join(PEERS, id, 'server.js'), file(data)] };
}
