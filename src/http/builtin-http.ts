import type nodeHttp from 'node:http';
import process from 'node:process';

/**
 * `node:http`. An import would evaluate all of its exports. For `WebSocket`, Node loads a client of a megabyte: a tenth
 * of the start-up time. Types are imported from `node:http`.
 */
export const http: typeof nodeHttp = process.getBuiltinModule('node:http');
