import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { after, afterEach, before, describe, it } from 'node:test';
import { programFile, skipWithout } from '../../installed-programs.ts';
import {
  killAll,
  program,
  waitUntilListening,
  type ServerProcess,
  startServer,
  waitForLog,
} from '../server-process.ts';

const MODEL = `
name: shop
version: 1.0.0
cors: { origins: ["null"] }
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

interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly message?: string;
}

/** The lines of a JSON log. */
function readLogLines(server: ServerProcess): readonly LogLine[] {
  return server
    .stderr()
    .trim()
    .split('\n')
    .map((line): LogLine => JSON.parse(line));
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

  it('serves a database in memory, which ends with it', async () => {
    for (const database of [':memory:', 'sqlite::memory:']) {
      const server = start(['--port', '0', '--database', database]);
      const url = await waitUntilListening(server);
      const headers = { 'content-type': 'application/json' };
      const created = await fetch(`${url}/v1/products`, { method: 'POST', body: '{"name":"Lamp"}', headers });
      assert.equal(created.status, 201);
      assert.equal((await (await fetch(`${url}/v1/products`)).text()).match(/"Lamp"/g)?.length, 1);
      server.child.kill('SIGTERM');
      assert.equal(await server.exited, 0);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('memory')),
      [],
    );
  });

  it('[AUTH-7] logs that only this machine is served, and warns of declarations that this version does not support', async () => {
    const server = start(['--port', '0', '--database', 'sqlite:log.db']);
    await waitUntilListening(server);
    server.child.kill('SIGTERM');
    await server.exited;
    assert.match(server.stderr(), /loopback/);
    assert.match(server.stderr(), /cors\.origins\[0\]: declared, but not supported yet/);
  });

  it('[AUTH-7] with --insecure-public listens on any address, and warns', async () => {
    const server = start(['--port', '0', '--host', '0.0.0.0', '--insecure-public', '--database', 'sqlite:open.db']);
    assert.match(await waitUntilListening(server), /^http:\/\/0\.0\.0\.0:\d+\/api$/);
    server.child.kill('SIGTERM');
    await server.exited;
    const warning = readLogLines(server).find(({ event }) => event === 'no_authentication');
    assert.equal(warning?.level, 'warn');
    assert.match(warning?.message ?? '', /^no authentication is configured, and --insecure-public is set/);
  });

  it('[OPS-2d] writes nothing but JSON to standard error where that is no terminal, and no schema', async () => {
    const server = start(['--port', '0', '--database', './json.db']);
    const url = await waitUntilListening(server);
    await fetch(`${url}/v1/products`);
    server.child.kill('SIGTERM');
    await server.exited;
    const events = readLogLines(server).map(({ event }) => event);
    assert.deepEqual(events, [
      'no_authentication',
      'unsupported',
      'database_created',
      'listening',
      'request',
      'stopping',
      'stopped',
    ]);
    assert.ok(
      server
        .stderr()
        .split('\n')
        .every((line) => line.length < 1_000),
    );
  });

  it('with --log text, logs for a person, and shows what is served and a request that works', async () => {
    const database = path.join(folder, 'text.db');
    const server = start(['--port', '0', '--database', database, '--log', 'text']);
    const url = await waitUntilListening(server);
    await fetch(`${url}/v1/products`, {
      method: 'POST',
      body: '{"name":"Lamp"}',
      headers: { 'content-type': 'application/json' },
    });
    server.child.kill('SIGTERM');
    await server.exited;
    const again = start(['--port', '0', '--database', database], { RESTWRIGHT_LOG: 'text' });
    await waitUntilListening(again);
    await waitForLog(again, /Try .*\n\n/);
    assert.match(
      again.stderr(),
      /^shop 1\.0\.0\n {2}products {2}1 row\n\n {2}API {7}http:.+\n {2}Docs {6}http:.+\/docs\n {2}Database {2}(.+)\n/m,
    );
    assert.ok(again.stderr().includes(`Database  ${database}\n`));
    const [, example = ''] = /Try {7}curl "(.+)"$/m.exec(again.stderr()) ?? [];
    assert.equal((await fetch(example)).status, 200);
    assert.equal(again.stdout().split('\n').length, 2, 'standard output has one line');
  });

  it('[OPS-2d] logs for a person on a terminal, without colours under NO_COLOR', {
    skip: skipWithout('script'),
  }, async () => {
    const node = process.execPath;
    const command = `"${node}" "${program}" serve "${model}" --port 0 --database terminal.db`;
    for (const [env, coloured] of [
      [{ NO_COLOR: '' }, true],
      [{ NO_COLOR: '1' }, false],
    ] as const) {
      const child = spawn(programFile('script') ?? '', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env: { ...process.env, TERM: 'xterm', ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let text = '';
      let isStopped = false;
      for await (const chunk of child.stdout) {
        text += String(chunk);
        if (isStopped || !text.includes('Try')) continue;
        isStopped = true;
        // Ctrl-C, as the terminal sends it.
        child.stdin.write('\u0003');
      }
      assert.match(stripVTControlCharacters(text), /^shop 1\.0\.0\r\n {2}products {2}0 rows/m);
      assert.equal(text.includes('\u001b[1mshop 1.0.0\u001b[22m'), coloured);
      assert.equal(text.includes('\u001b[2m'), coloured);
      assert.doesNotMatch(text, /"event"/);
    }
  });

  it('with --open opens the API in the browser, at the loopback address of a server on all addresses', {
    skip: process.platform !== 'linux' && 'the browser of this platform cannot be replaced',
  }, async () => {
    const opened = path.join(folder, 'opened');
    await mkdir(path.join(folder, 'programs'), { recursive: true });
    await writeFile(path.join(folder, 'programs', 'xdg-open'), `#!/bin/sh\necho "$@" > "${opened}"\n`, { mode: 0o755 });
    const browsers = { PATH: `${path.join(folder, 'programs')}${path.delimiter}${process.env['PATH']}` };
    const server = start(['--port', '0', '--host', '0.0.0.0', '--insecure-public', '--open'], browsers);
    const { port } = new URL(await waitUntilListening(server));
    while (!existsSync(opened) || (await readFile(opened, 'utf8')) === '') await setImmediate();
    assert.equal(await readFile(opened, 'utf8'), `http://127.0.0.1:${port}/api\n`);
  });

  it('with --open logs the URL and keeps serving where there is no browser', async () => {
    const server = start(['--port', '0', '--open'], { PATH: folder });
    const url = await waitUntilListening(server);
    await waitForLog(server, /"event":"browser_not_opened"/);
    const line = readLogLines(server).find(({ event }) => event === 'browser_not_opened');
    assert.equal(line?.message, `no browser was opened (xdg-open is not installed); open ${url} yourself`);
    assert.equal((await fetch(`${url}/v1/products`)).status, 200);
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

  it('[OPS-7a] with --dev creates no other database where its own was moved', async () => {
    const server = start(['--port', '0', '--dev', '--database', 'sqlite:moved.db']);
    const url = await waitUntilListening(server);
    const database = path.join(folder, 'moved.db');
    await rename(database, `${database}.away`);
    try {
      await writeFile(model, MODEL.replace('products:', 'suppliers:'));
      await waitForLog(server, /the database \S+moved\.db was moved or deleted/);
      assert.equal(existsSync(database), false);
      assert.equal((await fetch(new URL('/readyz', url))).status, 503);
    } finally {
      await writeFile(model, MODEL);
    }
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
