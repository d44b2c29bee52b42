import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { CommandError } from '../../src/cli/command-error.ts';
import { databaseFile, databaseLocation } from '../../src/cli/database-settings.ts';
import type { EnvironmentVariables } from '../../src/cli/setting-value.ts';
import { isReachable, requireAccess, type ServeFlags, serveSettings, unprotected } from '../../src/cli/settings.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';

function failure(act: () => unknown): CommandError {
  try {
    act();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  return assert.fail('no error was thrown');
}

describe('settings of serve', () => {
  it('have defaults', () => {
    assert.deepEqual(serveSettings({}, {}), {
      port: 3000,
      host: '127.0.0.1',
      database: { file: './data/{name}.db', driver: undefined, password: undefined, replicas: [] },
      metrics: null,
      workers: 1,
      redis: null,
      mcp: null,
      console: false,
      drain: 0,
      log: null,
      dev: false,
      open: false,
      insecurePublic: false,
      readOnly: false,
    });
  });

  it('[OPS-5] read the replicas of a database of PostgreSQL from flags, else from the environment', () => {
    const env = {
      RESTWRIGHT_DATABASE: 'postgres://api@primary/shop',
      RESTWRIGHT_REPLICAS: ' postgres://api@one/shop\npostgres://api@two/shop ',
    };
    const read = (flags: ServeFlags): unknown => serveSettings(flags, env).database.replicas;
    assert.deepEqual(read({}), ['postgres://api@one/shop', 'postgres://api@two/shop']);
    assert.deepEqual(read({ replica: ['postgres://api@three/shop'] }), ['postgres://api@three/shop']);
  });

  it('flags override the environment, and the environment overrides the defaults', () => {
    const env = {
      RESTWRIGHT_PORT: '4000',
      RESTWRIGHT_HOST: '::1',
      RESTWRIGHT_DATABASE: 'sqlite:env.db',
      RESTWRIGHT_WORKERS: '4',
    };
    const read = (flags: ServeFlags): readonly unknown[] => {
      const { port, host, database, workers } = serveSettings(flags, env);
      return [port, host, database.file, workers];
    };
    assert.deepEqual(read({}), [4000, '::1', 'env.db', 4]);
    const flags = { port: '0', host: 'localhost', database: 'sqlite:flag.db', workers: '64' };
    assert.deepEqual(read(flags), [0, 'localhost', 'flag.db', 64]);
  });

  it('[AUTH-10b] have a port and an address for metrics, on loopback by default', () => {
    assert.deepEqual(serveSettings({ metricsPort: '9464' }, {}).metrics, { port: 9_464, host: '127.0.0.1' });
    const env = { RESTWRIGHT_METRICS_PORT: '0', RESTWRIGHT_METRICS_HOST: '::' };
    assert.deepEqual(serveSettings({}, env).metrics, { port: 0, host: '::' });
    assert.deepEqual(serveSettings({ metricsHost: '10.0.0.1' }, env).metrics, { port: 0, host: '10.0.0.1' });
    assert.match(
      failure(() => serveSettings({ metricsHost: '::' }, {})).message,
      /an address, but no port; pass --metrics-port, too/,
    );
  });

  it('treat an empty variable as unset', () => {
    assert.equal(serveSettings({}, { RESTWRIGHT_PORT: '' }).port, 3000);
  });

  it('accept an IPv6 address with or without brackets', () => {
    assert.equal(serveSettings({ host: '[::1]' }, {}).host, '::1');
  });

  const wrong: readonly [flags: ServeFlags, env: EnvironmentVariables, expected: RegExp][] = [
    [{ port: '65536' }, {}, /^--port: '65536' is not a valid port/],
    [{ port: '-1' }, {}, /^--port: '-1'/],
    [{ port: '3e3' }, {}, /^--port: '3e3'/],
    [{ port: '' }, {}, /^--port: ''/],
    [{}, { RESTWRIGHT_PORT: 'http' }, /^RESTWRIGHT_PORT: 'http' is not a valid port/],
    [{ host: 'http://x' }, {}, /^--host: 'http:\/\/x' is not a valid host name/],
    [{}, { RESTWRIGHT_HOST: 'a b' }, /^RESTWRIGHT_HOST: 'a b'/],
    [
      { database: '' },
      {},
      /^--database: '' is not a valid database; write a path such as .+, sqlite:PATH, or postgres:/,
    ],
    [{ database: 'sqlite:file:x.db' }, {}, /sqlite:PATH/],
    [{ database: '//host/x.db' }, {}, /sqlite:PATH/],
    [{ database: ':memory:', workers: '2' }, {}, /^--database: a database in memory belongs to one process/],
    [{ database: 'sqlite:' }, {}, /sqlite:PATH/],
    [{ workers: '2' }, { RESTWRIGHT_DATABASE: 'sqlite::memory:' }, /^RESTWRIGHT_DATABASE: a database in memory/],
    [{ database: 'postgres://u:secret@localhost' }, {}, /^--database: The URL of the database .+ names no database/],
    [{ database: 'postgres://u:secret@localhost/d?sslmode=no' }, {}, /^--database: .+ its sslmode is none of disable/],
    [
      { database: 'postgres://localhost/d' },
      { RESTWRIGHT_DATABASE_PASSWORD_FILE: '/no/file' },
      /_PASSWORD_FILE: no such/,
    ],
    [{ workers: '0' }, {}, /^--workers: '0' is not a valid number of workers; use a number from 1 to 64\.$/],
    [{ workers: 'x' }, {}, /^--workers: 'x'/],
    [{ workers: '65' }, {}, /^--workers: '65'/],
    [{ workers: '1000' }, {}, /^--workers: '1000'/],
    [{ workers: '1.5' }, {}, /^--workers: '1\.5'/],
    [{ workers: '-2' }, {}, /^--workers: '-2'/],
    [{ workers: '' }, {}, /^--workers: ''/],
    [{}, { RESTWRIGHT_WORKERS: 'auto' }, /^RESTWRIGHT_WORKERS: 'auto' is not a valid number of workers/],
    [{ workers: '2', dev: true }, {}, /^--workers: --dev reloads the model in a single process/],
    [{ dev: true }, { RESTWRIGHT_WORKERS: '2' }, /^RESTWRIGHT_WORKERS: --dev/],
    [{ redis: 'cache:6379' }, {}, /^--redis is not a URL of Redis, such as redis:\/\/127\.0\.0\.1:6379\.$/],
    [{}, { RESTWRIGHT_REDIS: 'redis://cache/shop' }, /^RESTWRIGHT_REDIS names a database that is not a number/],
    [{ drain: '5' }, {}, /^--drain: '5' is not a valid time to drain; use one of at most 10m, such as 5s, or 0s\.$/],
    [{}, { RESTWRIGHT_DRAIN: '11m' }, /^RESTWRIGHT_DRAIN: '11m'/],
    [{ log: 'xml' }, {}, /^--log: 'xml' is not a valid log format; use json or text\.$/],
    [{}, { RESTWRIGHT_LOG: 'pretty' }, /^RESTWRIGHT_LOG: 'pretty'/],
    [{}, { RESTWRIGHT_DATABASE: 'mysql:x' }, /^RESTWRIGHT_DATABASE: 'mysql:x'/],
  ];
  for (const [flags, env, expected] of wrong) {
    it(`are refused as usage errors: ${JSON.stringify({ ...flags, ...env })}`, () => {
      const { exitCode, message } = failure(() => serveSettings(flags, env));
      assert.equal(exitCode, 2);
      assert.match(message, expected);
    });
  }

  for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1']) {
    it(`[AUTH-7] accept the loopback address ${host}`, () => {
      assert.equal(isReachable(serveSettings({ host }, {})), false);
    });
  }

  for (const host of [
    '0.0.0.0',
    '::',
    '192.168.1.5',
    '8.8.8.8',
    'example.com',
    'localhost.example.com',
    '::ffff:10.0.0.1',
  ]) {
    it(`[AUTH-7] refuse ${host} without --insecure-public, naming auth`, () => {
      const settings = serveSettings({ host }, {});
      assert.equal(isReachable(settings), true);
      const { exitCode, message } = unprotected(settings, { host });
      assert.equal(exitCode, 2);
      assert.match(message, /`auth`/);
      assert.match(message, /--insecure-public/);
      assert.doesNotMatch(message, /--open/);
    });
  }

  it('[AUTH-7] accept any address with --insecure-public', () => {
    assert.equal(serveSettings({ host: '0.0.0.0', insecurePublic: true }, {}).host, '0.0.0.0');
  });

  for (const [flags, env] of [
    [{ host: '0.0.0.0', open: true }, {}],
    [{ open: true }, { RESTWRIGHT_HOST: '::' }],
  ] as const) {
    it(`[AUTH-7] refuse ${JSON.stringify({ ...flags, ...env })}, and say what --open is called now`, () => {
      const { exitCode, message } = unprotected(serveSettings(flags, env), flags);
      assert.equal(exitCode, 2);
      assert.match(message, 'host' in flags ? /^--host: / : /^RESTWRIGHT_HOST: /);
      assert.match(message, /--open now opens the browser; the option for its former effect is --insecure-public\./);
    });
  }
});

describe('the database setting', () => {
  it('is in memory for serve alone', () => {
    const { database } = serveSettings({ database: ':memory:' }, {});
    assert.equal(databaseFile(database, 'shop'), ':memory:');
    assert.throws(() => databaseLocation({ database: ':memory:' }, {}), {
      exitCode: 2,
      message: /^--database: a database in memory ends with this command; name a file, or serve a model/,
    });
  });

  it('contains the name of the model', () => {
    assert.equal(databaseFile(databaseLocation({}, {}), 'shop'), path.resolve('data/shop.db'));
  });

  for (const [text, file] of [
    ['./x.db', 'x.db'],
    ['x.db', 'x.db'],
    ['sqlite:./x.db', 'x.db'],
    ['sqlite:x y.db', 'x y.db'],
    ['../a:b.db', '../a:b.db'],
    ['/var/lib/x.db', '/var/lib/x.db'],
    ['./{name}.db', 'shop.db'],
  ] as const) {
    it(`takes ${text} as a path`, () => {
      assert.equal(databaseFile(databaseLocation({ database: text }, {}), 'shop'), path.resolve(file));
      assert.equal(databaseFile(databaseLocation({}, { RESTWRIGHT_DATABASE: text }), 'shop'), path.resolve(file));
    });
  }

  it('keeps an absolute path', () => {
    assert.equal(
      databaseFile(databaseLocation({ database: 'sqlite:/var/lib/a b.db' }, {}), 'shop'),
      path.resolve('/var/lib/a b.db'),
    );
  });
});

const TABLE = '  films: { table: film, schema: { type: object } }';
const READ_TABLE = '  genres: { table: genre, read_only: true, schema: { type: object } }';
const OWN = '  notes: { schema: { type: object } }';
const SERVER = 'postgres://api@localhost/shop';

const NO_SECRET =
  '--workers: the cursors of several processes need the same `secret`; declare one, or use --workers 1.';

/** The resources of a model, the flags with which it is served, and the error. */
const ACCESS: readonly (readonly [resources: readonly string[], flags: ServeFlags, error: string | null])[] = [
  [[TABLE], { database: SERVER }, null],
  [[TABLE, OWN], { database: SERVER }, null],
  [[TABLE, READ_TABLE], { database: SERVER, readOnly: true }, null],
  [[TABLE], { database: 'shop.sqlite', readOnly: true }, null],
  [[READ_TABLE], { database: 'shop.sqlite' }, null],
  [[OWN], { database: 'shop.db', workers: '2' }, null],
  [[TABLE, READ_TABLE], { database: 'shop.sqlite' }, null],
  [[READ_TABLE, OWN], { database: 'shop.sqlite' }, null],
  [
    [TABLE, OWN],
    { database: SERVER, readOnly: true },
    '--read-only: the model has rows of its own (notes); omit the option.',
  ],
  [[OWN], { readOnly: true }, '--read-only: the model has rows of its own (notes); omit the option.'],
  [[TABLE, OWN], { database: SERVER, workers: '2' }, null],
  [[TABLE], { database: SERVER, workers: '2', readOnly: true }, NO_SECRET],
  [[READ_TABLE], { database: 'shop.sqlite', workers: '2' }, NO_SECRET],
  [[TABLE], { database: 'shop.sqlite', workers: '2', readOnly: true }, NO_SECRET],
  [
    [TABLE],
    { database: 'shop.sqlite', workers: '2' },
    '--workers: one process writes the tables of a SQLite file; use --read-only, or use --workers 1.',
  ],
];

describe('the access to tables that exist', () => {
  for (const [resources, flags, error] of ACCESS) {
    const names = resources.map((text) => text.trim().split(':')[0]).join(' and ');
    it(`to ${names} is ${error === null ? 'given' : 'refused'} with ${JSON.stringify(flags)}`, () => {
      const { model } = loadModel({ text: `name: shop\nresources:\n${resources.join('\n')}\n` });
      const check = (): void => requireAccess(model, serveSettings(flags, {}));
      if (error === null) return check();
      const { exitCode, message } = failure(check);
      assert.deepEqual([exitCode, message], [2, error]);
    });
  }

  it('is given to several processes that only read, if the model has a secret', () => {
    const { model } = loadModel({ text: `name: shop\nsecret: ${'s'.repeat(32)}\nresources:\n${TABLE}\n` });
    for (const database of [SERVER, 'shop.sqlite'])
      requireAccess(model, serveSettings({ database, readOnly: true, workers: '2' }, {}));
  });
});

describe('the driver setting', () => {
  it('comes from the flag, else from the variable, else is left to the store', () => {
    const driverOf = (driver: string | undefined, variable: string): string | undefined =>
      databaseLocation(driver === undefined ? {} : { driver }, { RESTWRIGHT_DRIVER: variable }).driver;
    assert.equal(driverOf('node', 'better-sqlite3'), 'node');
    assert.equal(driverOf(undefined, 'better-sqlite3'), 'better-sqlite3');
    assert.equal(driverOf(undefined, ''), undefined);
  });

  it('refuses an unknown driver, with the names of those that exist', () => {
    const { exitCode, message } = failure(() => serveSettings({ driver: 'bun' }, {}));
    assert.equal(exitCode, 2);
    assert.equal(message, "--driver: 'bun' is not a valid driver; use better-sqlite3 or node.");
  });
});
