import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { killAll, waitUntilListening, type ServerProcess, startServer, waitForLog } from '../server-process.ts';

const MODEL = `
name: shop
version: 1.0.0
cors: { origins: [https://app.example.com] }
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;

let folder = '';
let model = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'serve-'));
  model = path.join(folder, 'shop.yaml');
  await writeFile(model, MODEL);
});
after(() => rm(folder, { recursive: true }));

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

function start(args: readonly string[], env: Record<string, string> = {}): ServerProcess {
  const one = startServer(folder, [model, ...args], env);
  started.push(one);
  return one;
}

describe('restwright serve', () => {
  it('prints one line when it listens, creates its database and its folder, and exits with 0 after a graceful shutdown', async () => {
    const server = start(['--port', '0']);
    const url = await waitUntilListening(server);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/api$/);
    const response = await fetch(`${url}/v1/products`, {
      method: 'POST',
      body: '{"name":"Lamp"}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(response.status, 201);
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assert.equal(server.stdout(), `listening on ${url}\n`);
    assert.ok(existsSync(path.join(folder, 'data', 'shop.db')));
    const again = start(['--port', '0']);
    const { data } = (await (await fetch(`${await waitUntilListening(again)}/v1/products`)).json()) as {
      data: { name: string }[];
    };
    assert.deepEqual(
      data.map(({ name }) => name),
      ['Lamp'],
    );
    again.child.kill('SIGINT');
    assert.equal(await again.exited, 0);
  });

  it('[AUTH-7] logs that only this machine is served, and warns of declarations that this version does not support', async () => {
    const server = start(['--port', '0', '--database', 'sqlite:log.db']);
    await waitUntilListening(server);
    server.child.kill('SIGTERM');
    await server.exited;
    assert.match(server.stderr(), /loopback/);
    assert.match(server.stderr(), /cors: declared, but not supported yet/);
  });

  it('[AUTH-7] with --insecure-public listens on any address, and warns', async () => {
    const server = start(['--port', '0', '--host', '0.0.0.0', '--insecure-public', '--database', 'sqlite:open.db']);
    assert.match(await waitUntilListening(server), /^http:\/\/0\.0\.0\.0:\d+\/api$/);
    server.child.kill('SIGTERM');
    await server.exited;
    assert.match(server.stderr(), /^warning: no authentication is configured, and --insecure-public is set/m);
  });

  it('writes an IPv6 address in brackets', async (test) => {
    if (!Object.values(os.networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))) {
      test.skip('this machine has no IPv6 loopback');
      return;
    }
    assert.match(
      await waitUntilListening(start(['--port', '0', '--host', '::1', '--database', 'sqlite:6.db'])),
      /^http:\/\/\[::1\]:\d+\/api$/,
    );
  });

  it('reads its settings from the environment', async () => {
    const server = start([], {
      RESTWRIGHT_PORT: '0',
      RESTWRIGHT_HOST: 'localhost',
      RESTWRIGHT_DATABASE: 'sqlite:env.db',
    });
    assert.match(await waitUntilListening(server), /^http:\/\/localhost:\d+\/api$/);
    assert.ok(existsSync(path.join(folder, 'env.db')));
  });

  it('exits with 1 and a one-line error where the port is in use', async () => {
    const first = start(['--port', '0', '--database', 'sqlite:a.db']);
    const { port } = new URL(await waitUntilListening(first));
    const second = start(['--port', port, '--database', 'sqlite:b.db']);
    assert.equal(await second.exited, 1);
    assert.equal(second.stdout(), '');
    assert.match(second.stderr(), new RegExp(`error: Port ${port} .* is in use`, 'i'));
  });

  it('exits with 1 and prints the plan where migrating the database would lose data', async () => {
    const database = ['--port', '0', '--database', 'sqlite:lossy.db'];
    const first = start(database);
    const url = await waitUntilListening(first);
    await fetch(`${url}/v1/products`, {
      method: 'POST',
      body: '{"name":"Lamp"}',
      headers: { 'content-type': 'application/json' },
    });
    first.child.kill('SIGTERM');
    await first.exited;
    await writeFile(
      model,
      MODEL.replace('{ name: { type: string } }', '{ name: { type: string }, sku: { type: string } }').replace(
        '[name]',
        '[name, sku]',
      ),
    );
    try {
      const second = start(database);
      assert.equal(await second.exited, 1);
      assert.match(second.stderr(), /sku/);
    } finally {
      await writeFile(model, MODEL);
    }
  });

  it('with --dev reloads a changed model, and keeps serving the previous one where the change is invalid', async () => {
    const server = start(['--port', '0', '--dev', '--database', 'sqlite:dev.db']);
    const url = await waitUntilListening(server);
    try {
      await writeFile(model, MODEL.replace('products:', 'products: x'));
      await waitForLog(server, /was not reloaded, the previous model is still served:\n.*shop\.yaml:\d+/);
      assert.equal((await fetch(`${url}/v1/products`)).status, 200);
      await writeFile(model, MODEL.replace('products:', 'suppliers:'));
      await waitForLog(server, /reloaded .*shop\.yaml/);
      assert.equal((await fetch(`${url}/v1/suppliers`)).status, 200);
    } finally {
      await writeFile(model, MODEL);
    }
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });

  it('[LIM-3] finishes requests after the first signal, and exits immediately on the second', async () => {
    const server = start(['--port', '0', '--database', 'sqlite:twice.db']);
    const { hostname, port } = new URL(await waitUntilListening(server));
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    socket.on('error', () => {});
    // A body that never arrives keeps the request in flight.
    socket.write(
      `POST /api/v1/products HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 20\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    server.child.kill('SIGTERM');
    await waitForLog(server, /"event":"stopping"/);
    server.child.kill('SIGINT');
    assert.equal(await server.exited, 130);
  });
});
