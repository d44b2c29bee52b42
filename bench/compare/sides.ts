import path from 'node:path';
import type { Data } from './data.ts';
import type { Programs } from './programs.ts';
import { BY_HAND, FEATHERS, FLOOR, JSON_SERVER, OURS, PLATFORMATIC, type Dialect } from './dialect.ts';

/** A server that is compared. */
export interface Side {
  readonly id: 'floor' | 'restwright' | 'by-hand' | 'platformatic' | 'feathers' | 'json-server';
  readonly name: string;
  readonly dialect: Dialect;
  /** A program for Node and its arguments, on data of its own. */
  readonly args: (data: Data, programs: Programs) => readonly string[];
  /** The package of a peer, which is installed beside us; null for what stands in this checkout. */
  readonly package: string | null;
}

export const MODEL: string = path.join(import.meta.dirname, 'model.yaml');
export const PEERS: string = path.resolve(import.meta.dirname, '../peers');

/** The one that the others are measured by. */
export const MEASURE: Side['id'] = 'by-hand';

export const SIDES: readonly Side[] = [
  {
    id: 'floor',
    name: '`node:http`, fixed buffer',
    dialect: FLOOR,
    args: (_data, { floor }) => [floor],
    package: null,
  },
  {
    id: 'restwright',
    name: 'Restwright',
    dialect: OURS,
    args: (data, { restwright }) => [restwright, 'serve', MODEL, '--port', '0', '--database', `sqlite:${data.ours}`],
    package: null,
  },
  {
    id: 'by-hand',
    name: 'Fastify by hand',
    dialect: BY_HAND,
    args: (data, { byHand }) => [byHand, data.table('by-hand')],
    package: null,
  },
  peer('platformatic', 'Platformatic DB', PLATFORMATIC, '@platformatic/db', (data) =>
    data.table('platformatic', { id: 'uuid', time: 'text' }),
  ),
  peer('feathers', 'Feathers', FEATHERS, '@feathersjs/feathers', (data) => data.table('feathers')),
  peer('json-server', 'json-server', JSON_SERVER, 'json-server', (data) => data.document()),
];

function peer(id: Side['id'], name: string, dialect: Dialect, from: string, file: (data: Data) => string): Side {
  return { id, name, dialect, package: from, args: (data) => [path.join(PEERS, id, 'server.js'), file(data)] };
}
