import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { reservePort, type ReservedPort } from '../../../src/http/server/reserve-port.ts';
import { listen } from '../../../src/http/server/listen.ts';

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

/** A port that is nobody's, and was just somebody's. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, { host: HOST, port: 0 });
  server.close();
  await once(server, 'close');
  return port;
}

describe('a claim on a port', onlyLinux, () => {
  it('keeps others from it while nobody listens, whatever address of this machine they ask for', async (context) => {
    const port = await freePort();
    const claim = await claimed(context, port);
    assert.equal(claim.port, port);
    for (const host of [HOST, 'localhost', '0.0.0.0', '::', '127.0.0.2']) {
      await assert.rejects(reservePort({ host, port }), { message: new RegExp(`^Port ${port} on .* is in use`) }, host);
    }
    claim.release();
    await claimed(context, port);
  });

  it('is refused where a program listens, and leaves nothing behind', async (context) => {
    const server = createServer();
    const port = await listen(server, { host: HOST, port: 0 });
    await assert.rejects(reservePort({ host: HOST, port }), /is in use by another program/);
    server.close();
    await once(server, 'close');
    await claimed(context, port);
  });

  it('is refused where others share the port, whose claim is another one’s affair', async (context) => {
    const port = await freePort();
    await listening(context, port, true);
    await assert.rejects(reservePort({ host: HOST, port }), /is in use by another program/);
  });

  it('on any port takes one that is free, and keeps it until others share it', async (context) => {
    const claim = await claimed(context);
    await assert.rejects(listening(context, claim.port, false), /is in use/);
    await assert.rejects(reservePort({ host: HOST, port: claim.port }), /is in use/);
    await listening(context, claim.port, true);
    claim.handOver();
    await listening(context, claim.port, true);
    await assert.rejects(reservePort({ host: HOST, port: claim.port }), /is in use/);
  });

  it('says in plain words that an address is not of this machine', async () => {
    await assert.rejects(reservePort({ host: '192.0.2.1', port: 0 }), /This machine has no address 192\.0\.2\.1/);
  });
});
