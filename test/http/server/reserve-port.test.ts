import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { reservePort, type ReservedPort } from '../../../src/http/server/reserve-port.ts';
import { listen } from '../../../src/http/server/listen.ts';
import { freePort } from '../../free-port.ts';

const HOST = '127.0.0.1';
const onlyLinux = { skip: process.platform !== 'linux' && 'the system itself keeps ports apart' };

async function claimed(context: TestContext, port = 0): Promise<ReservedPort> {
  const claim = await reservePort({ host: HOST, port });
  context.after(() => claim.release());
  return claim;
}

async function listening(context: TestContext, port: number, sharing: boolean): Promise<number> {
  const server = createServer();
  context.after(() => server.close());
  return listen(server, { host: HOST, port, sharing });
}

describe('reservePort', onlyLinux, () => {
  it('prevents other reservations while no worker listens, whatever the address', async (context) => {
    const port = await freePort();
    const claim = await claimed(context, port);
    assert.equal(claim.port, port);
    for (const host of [HOST, 'localhost', '0.0.0.0', '::', '127.0.0.2']) {
      await assert.rejects(reservePort({ host, port }), { message: new RegExp(`^Port ${port} on .* is in use`) }, host);
    }
    claim.release();
    await claimed(context, port);
  });

  it('rejects where a program listens, and keeps no lock', async (context) => {
    const server = createServer();
    const port = await listen(server, { host: HOST, port: 0 });
    await assert.rejects(reservePort({ host: HOST, port }), /is in use by another program/);
    server.close();
    await once(server, 'close');
    await claimed(context, port);
  });

  it('rejects where another program shares the port', async (context) => {
    const port = await freePort();
    await listening(context, port, true);
    await assert.rejects(reservePort({ host: HOST, port }), /is in use by another program/);
  });

  it('chooses a free port for 0, and holds it until a worker shares it', async (context) => {
    const claim = await claimed(context);
    await assert.rejects(listening(context, claim.port, false), /is in use/);
    await assert.rejects(reservePort({ host: HOST, port: claim.port }), /is in use/);
    await listening(context, claim.port, true);
    claim.handOver();
    await listening(context, claim.port, true);
    await assert.rejects(reservePort({ host: HOST, port: claim.port }), /is in use/);
  });

  it('reports that an address is not of this machine', async () => {
    await assert.rejects(reservePort({ host: '192.0.2.1', port: 0 }), /This machine has no address 192\.0\.2\.1/);
  });
});
