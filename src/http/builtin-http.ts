import type nodeHttp from 'node:http';
import process from 'node:process';

/**
 * `node:http`. To import it reads all that it exports, `WebSocket` and its kin among them, for which Node loads a client of a megabyte: a
 * tenth of a start. Types are imported as ever.
 */
export const http: typeof nodeHttp = process.getBuiltinModule('node:http');
