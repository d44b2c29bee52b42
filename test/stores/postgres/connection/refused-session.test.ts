import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { parseDatabaseUrl } from '../../../../src/stores/postgres/driver/database-url.ts';
import { connectPostgres } from '../../../../src/stores/postgres/driver/pg.ts';

const FIELDS = 'SFATAL\0VFATAL\0C28000\0Mno entry for this host\0\0';
/** ErrorResponse: the server refuses the session, and does not close the connection. */
const REFUSAL = Buffer.from(`E\0\0\0${String.fromCharCode(FIELDS.length + 4)}${FIELDS}`, 'latin1');

describe('a session that cannot be opened', () => {
  it('[OPS-4b] leaves no connection, also where the server would keep it', async (context) => {
    const closed = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('close', () => closed.resolve()).on('error', () => undefined);
      socket.once('data', () => socket.write(REFUSAL));
    }).listen(0, '127.0.0.1');
    context.after(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const url = parseDatabaseUrl(`postgres://u@127.0.0.1:${address.port}/x?sslmode=disable`, undefined);
    await assert.rejects(connectPostgres(url, null), /no entry for this host/);
    await closed.promise;
  });
});
