import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { logEntry } from '../../src/observe/log-entry.ts';
import { type LogOptions, logSink } from '../../src/observe/log.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { StoreUnavailable } from '../../src/stores/store.ts';

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
const request = {
  kind: 'request',
  method: 'GET',
  target: '/api/products/1',
  route: '/products/{id}',
  status: 200,
  errorCode: null,
  duration: 1.23456,
  correlationId: 'id-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  parentId: null,
  sampled: true,
  version: '1.0.0',
  requestSize: 0,
  responseSize: null,
  traceState: null,
  scheme: 'http',
  stages: null,
} as const;

const FULL = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

function written(observation: Observation, options: Partial<LogOptions> = {}): string {
  let text = '';
  const write = (line: string): void => {
    text += line;
  };
  logSink({ write, clock, format: 'json', colours: false, ...options })(observation);
  return text;
}

function json(observation: Observation): Record<string, unknown> {
  return JSON.parse(written(observation));
}

describe('a line of JSON', () => {
  it('[OPS-2d] logs a request with its correlation and trace id, in this order', () => {
    assert.equal(
      written({ ...request, status: 404, errorCode: 'PRODUCT_NOT_FOUND' }),
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","event":"request","method":"GET","path":"/api/products/1",' +
        '"route":"/products/{id}","status":404,"error_code":"PRODUCT_NOT_FOUND","duration_ms":1.235,' +
        '"correlation_id":"id-1","trace_id":"0af7651916cd43dd8448eb211c80319c"}\n',
    );
  });

  it('[OPS-2d] leaves out what is for metrics and traces', () => {
    assert.equal(written({ kind: 'commit', duration: 1, units: 1 }), '');
    assert.equal(written({ kind: 'rate-limited', bucket: 'caller' }, { format: 'readable' }), '');
  });

  it('[OPS-2d] truncates a long path', () => {
    const { path } = json({ ...request, target: `/${'a'.repeat(5_000)}` });
    assert.equal(path, `/${'a'.repeat(1_023)}…`);
  });

  for (const [observation, level, rest] of [
    [{ ...request, status: 503 }, 'error', { status: 503 }],
    [
      { kind: 'computed-value-failed', resource: 'notes', id: '7', field: 'made', reason: 'why', value: '1n' },
      'error',
      { event: 'computed_value_failed', resource: 'notes', id: '7', field: 'made', reason: 'why', value: '1n' },
    ],
    [
      { kind: 'store-unavailable', error: new Error('The disk is full', { cause: FULL }) },
      'error',
      {
        event: 'store_unavailable',
        reason: 'The disk is full',
        code: 'SQLITE_FULL',
        cause: 'database or disk is full',
      },
    ],
    [
      { kind: 'store-unavailable', error: new Error('The store is closed') },
      'error',
      { reason: 'The store is closed', code: null, cause: null },
    ],
    [
      { kind: 'listening', url: 'http://127.0.0.1:1', allowAnyHost: true },
      'info',
      { event: 'listening', allow_any_host: true },
    ],
    [{ kind: 'stopping', signal: 'SIGTERM' }, 'info', { event: 'stopping', signal: 'SIGTERM' }],
    [{ kind: 'stopped', unfinished: 0 }, 'info', { event: 'stopped', unfinished: 0 }],
    [{ kind: 'stopped', unfinished: 2 }, 'warn', { unfinished: 2 }],
    [
      { kind: 'schema-changed', database: '/x.db', isNew: false, statements: ['x'] },
      'info',
      { event: 'schema_changed', statements: ['x'] },
    ],
    [
      { kind: 'no-authentication', isPublic: false },
      'info',
      {
        message: 'no authentication is configured: only clients on this machine are served, under loopback host names',
      },
    ],
    [{ kind: 'no-authentication', isPublic: true }, 'warn', { event: 'no_authentication' }],
    [{ kind: 'model-changed', file: 'a.yaml', problem: null }, 'info', { message: 'reloaded a.yaml' }],
    [{ kind: 'model-changed', file: 'a.yaml', problem: 'x' }, 'warn', { event: 'model_not_reloaded' }],
    [{ kind: 'unsupported', declaration: 'webhooks' }, 'warn', { event: 'unsupported', declaration: 'webhooks' }],
    [
      { kind: 'worker-exited', pid: 7, code: null, signal: 'SIGKILL', reason: null, restartDelay: 100 },
      'error',
      { event: 'worker_exited', worker: 7, code: null, signal: 'SIGKILL', reason: null, restart_delay_ms: 100 },
    ],
    [
      { kind: 'worker-unresponsive', pid: 7, duration: 30_000 },
      'error',
      { event: 'worker_unresponsive', worker: 7, duration_ms: 30_000 },
    ],
    [
      { kind: 'database-lost', path: '/data/shop.db', change: 'missing' },
      'error',
      {
        event: 'database_lost',
        file: '/data/shop.db',
        change: 'missing',
        message:
          'the file was moved or deleted while the server ran: nothing is read or acknowledged any more. Put the right file in its place, then restart the server',
      },
    ],
    [
      { kind: 'database-migrated', error: new Error('no such column: legacy') },
      'error',
      {
        event: 'database_migrated',
        code: null,
        cause: 'no such column: legacy',
        message:
          'the database was migrated to another model while the server ran: nothing is read or written any more. Restart the server with the model of the database',
      },
    ],
    [
      { kind: 'database-writes', failure: new Error('full', { cause: new RangeError('no space') }) },
      'error',
      { event: 'database_writes', failing: true, reason: 'full', cause: 'no space' },
    ],
    [
      { kind: 'clock-behind', newest: Date.parse('2026-01-02T03:04:05.678Z'), behind: 3_600_000, followed: true },
      'warn',
      { event: 'clock_behind', newest: '2026-01-02T03:04:05.678Z', behind_ms: 3_600_000 },
    ],
    [{ kind: 'database-writes', failure: null }, 'info', { event: 'database_writes', failing: false }],
    [
      { kind: 'keys-unavailable', issuer: 'id', error: new Error('https://id.example.com/jwks has status 500') },
      'warn',
      {
        event: 'keys_unavailable',
        issuer: 'id',
        message: 'the keys of the issuer id could not be read: https://id.example.com/jwks has status 500',
      },
    ],
    [
      { kind: 'shared-rate-limits', address: 'cache:6379', instances: 3, failure: new Error('refused') },
      'warn',
      {
        event: 'rate_limits_not_shared',
        redis: 'cache:6379',
        message: 'Redis at cache:6379 is away (refused): each instance admits 1/3 of each quota',
      },
    ],
    [
      { kind: 'shared-rate-limits', address: 'cache:6379', instances: 3, failure: null },
      'info',
      { event: 'rate_limits_shared', redis: 'cache:6379' },
    ],
    [{ kind: 'overload', overloaded: true, reason: 'why' }, 'warn', { event: 'overload', reason: 'why' }],
    [{ kind: 'overload', overloaded: false, reason: null }, 'info', { overloaded: false, reason: null }],
  ] as const satisfies readonly (readonly [Observation, string, object])[]) {
    it(`[OPS-2d] logs ${observation.kind} as ${level}: ${JSON.stringify(rest)}`, () => {
      const line = json(observation);
      assert.deepEqual({ ...line, ...rest }, line);
      assert.equal(line['level'], level);
    });
  }

  it('[OPS-2d] names a new database without the statements that created it', () => {
    const { time: _time, ...line } = json({
      kind: 'schema-changed',
      database: '/x.db',
      isNew: true,
      statements: ['x'],
    });
    assert.deepEqual(line, { level: 'info', event: 'database_created', database: '/x.db' });
  });

  it('[OPS-2d] has the process id if several processes write one log', () => {
    assert.match(written({ kind: 'stopped', unfinished: 0 }, { pid: 7 }), /"level":"info","pid":7,"event":"stopped"/);
  });

  it('[ERR-7] logs an error with its stack, its causes and its correlation id', () => {
    const cause = Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
    const error = new TypeError('no row', { cause });
    const line = json({ kind: 'error', correlationId: 'id-1', error });
    assert.deepEqual([line['level'], line['correlation_id']], ['error', 'id-1']);
    assert.deepEqual(line['error'], {
      name: 'TypeError',
      message: 'no row',
      code: null,
      stack: error.stack,
      causes: [cause.stack],
    });
  });

  it('[OPS-2d] logs only the type of a thrown value that is not an Error', () => {
    assert.doesNotMatch(written({ kind: 'error', correlationId: null, error: { token: 'secret' } }), /secret/);
  });

  it('[OPS-2d] stops at a circular cause', () => {
    const error = new Error('round');
    error.cause = error;
    assert.match(written({ kind: 'error', correlationId: null, error }), /round/);
  });

  it('[OPS-2d] is one line of printable characters, whatever the client sent', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('\n', '\r', '\u001b', '\u0085', '\u2028', '\u009b', '"', '\\', 'a', '\u007f'),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (method, target, correlationId) => {
        const text = written({ ...request, method, target, correlationId });
        assert.match(text, /^\{[^\p{Cc}\u2028\u2029]*\}\n$/u);
        assert.equal(JSON.parse(text).correlation_id, correlationId);
        const { time, ...members } = JSON.parse(text);
        const { level, event, fields } = logEntry({ ...request, method, target, correlationId });
        assert.equal(JSON.stringify(members), JSON.stringify({ level, event, ...fields }), time);
      }),
    );
  });
});

describe('an unavailable store', () => {
  it('[OPS-2d] is logged once a minute for each reason, however many requests report it', () => {
    const lines: string[] = [];
    let now = 0;
    const observe = logSink({
      write: (line) => void lines.push(JSON.parse(line).reason),
      clock: { now: () => now },
      format: 'json',
      colours: false,
    });
    const logged = (at: number, reason: string): readonly string[] => {
      now = at;
      for (let count = 0; count < 3; count += 1) observe({ kind: 'store-unavailable', error: new Error(reason) });
      return lines.splice(0);
    };
    assert.deepEqual(logged(0, 'locked'), ['locked']);
    assert.deepEqual(logged(59_999, 'locked'), []);
    assert.deepEqual(logged(59_999, 'full'), ['full']);
    assert.deepEqual(logged(60_000, 'locked'), ['locked']);
    assert.deepEqual(logged(61_000, 'full'), []);
  });
});

describe('a server of the database that is away', () => {
  it('[OPS-2d] is logged once when it goes and once when it returns, however long it is away', () => {
    const lines: string[] = [];
    let now = 0;
    const observe = logSink({
      write: (line) => void lines.push(JSON.parse(line).event),
      clock: { now: () => now },
      format: 'json',
      colours: false,
    });
    const away = (at: number, message = 'The database cannot be reached'): readonly string[] => {
      now = at;
      observe({ kind: 'store-unavailable', error: new StoreUnavailable(message, { reason: 'away' }) });
      return lines.splice(0);
    };
    const back = (at: number): readonly string[] => {
      now = at;
      for (let count = 0; count < 3; count += 1) observe({ kind: 'store-available' });
      return lines.splice(0);
    };
    assert.deepEqual(back(0), [], 'it was not away');
    assert.deepEqual(away(1_000), ['store_unavailable']);
    for (let at = 2_000; at < 300_000; at += 10_000) assert.deepEqual(away(at, `at ${at}`), []);
    assert.deepEqual(back(300_000), ['store_available']);
    assert.deepEqual(away(301_000), [], 'a late error of the same outage');
    assert.deepEqual(back(301_500), []);
    assert.deepEqual(away(310_000), ['store_unavailable'], 'another outage');
    // An outage whose end no loop reports has ended after a minute without a report.
    assert.deepEqual(away(400_000), ['store_unavailable']);
  });
});

describe('a readable line', () => {
  const readable = (observation: Observation, colours = false): string =>
    written(observation, { format: 'readable', colours });

  it('[OPS-2d] shows status, method, path, duration and error code of a request', () => {
    assert.equal(readable({ ...request, target: '/a' }), '03:04:05.006 200 GET /a 1.2 ms\n');
    const refused = { ...request, status: 404, errorCode: 'PRODUCT_NOT_FOUND' };
    assert.equal(readable(refused), '03:04:05.006 404 GET /api/products/1 1.2 ms PRODUCT_NOT_FOUND id-1\n');
  });

  it('[OPS-2d] shows the members of other events by name and value', () => {
    assert.equal(readable({ kind: 'database-locked', path: '/x.db' }), '03:04:05.006 database locked database=/x.db\n');
  });

  it('[OPS-2d] shows a message as it is, with a warning by its level', () => {
    assert.equal(
      readable({ kind: 'model-changed', file: 'a.yaml', problem: 'a.yaml:1: x\u001b\na.yaml:2: y' }),
      '03:04:05.006 warning: a.yaml was not reloaded, the previous model is still served:\n  a.yaml:1: x\\u{1b}\n  a.yaml:2: y\n',
    );
    assert.match(readable({ kind: 'no-authentication', isPublic: false }), /^03:04:05\.006 no authentication is /);
  });

  it('[OPS-4d] shows each statement of a migration on its own line', () => {
    assert.equal(
      readable({ kind: 'schema-changed', database: '/x.db', isNew: false, statements: ['a', 'b\n  c'] }),
      '03:04:05.006 database migrated to the model:\n  a;\n  b   c;\n',
    );
  });

  it('[ERR-7] shows the stack below an error', () => {
    const error = new Error('broken');
    const [first, second] = readable({ kind: 'error', correlationId: null, error }).split('\n');
    assert.equal(first, '03:04:05.006 error - Error: broken');
    assert.match(second ?? '', /^ {6}at /);
  });

  it('[OPS-2d] is coloured by status on request', () => {
    for (const [status, code] of [
      [200, 32],
      [308, 36],
      [404, 33],
      [500, 31],
    ] as const) {
      assert.ok(readable({ ...request, status }, true).includes(`\u001b[${code}m${status}\u001b[0m`));
    }
  });

  it('[OPS-2d] shows control characters and never sends them to the terminal', () => {
    const text = readable({ ...request, method: 'G\u001b[31m', target: '/\r\n\u202e' });
    assert.equal(text, '03:04:05.006 200 G\\u{1b}[31m /\\u{d}\\u{a}\\u{202e} 1.2 ms\n');
  });
});
