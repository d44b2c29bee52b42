import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { run } from '../../../src/cli/program.ts';
import { jsonLine } from '../../../src/observe/log-json.ts';
import { readableLine } from '../../../src/observe/log-readable.ts';
import { createMetrics } from '../../../src/observe/metrics/metrics.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = `
name: books
version: 3.0.0
default_version: 1
resources:
  books:
    schema: { type: object, required: [name], properties: { name: { type: string }, state: { type: string, enum: [NEW, OLD] } } }
versions:
  2.0.0:
    changes:
      - { resource: books, with: { fax: { schema: { type: string } } } }
  1.4.0:
    deprecated: 2026-06-01
    sunset: 2027-06-01
    changes:
      - { resource: books, rename: { title: name }, values: { state: { new: NEW, old: OLD } } }
  1.0.0:
    retired: true
`;

const TIME = '2026-11-29T10:00:00.000Z';

function calls(version: string, caller: string, count: number): readonly Observation[] {
  const entry = { kind: 'deprecated-contract', version, caller, route: '/api/books', correlationId: 'c' } as const;
  return Array.from({ length: count }, () => entry);
}

const OBSERVATIONS = [
  ...calls('1.4.0', 'ann by app', 3),
  ...calls('1.4.0', '192.0.2.7', 1),
  ...calls('1.4.0', 'bob\u001b[31m', 2),
  ...calls('1.4.0', 'eve', 1),
  ...calls('0.9.0', 'old tool', 1),
];

class Folder {
  readonly model: string;
  readonly log: string;

  constructor(context: TestContext, log = '') {
    const folder = temporaryDirectory(context);
    this.model = path.join(folder, 'books.yaml');
    this.log = path.join(folder, 'books.log');
    writeFileSync(this.model, MODEL);
    writeFileSync(this.log, log);
  }

  async run(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    isTTY = false,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const terminal = recordedTerminal(env);
    const code = await run(['versions', this.model, ...args], {
      ...terminal,
      stdout: { ...terminal.stdout, isTTY },
    });
    return { code, ...terminal.written() };
  }
}

/** Serves one response. @returns its URL */
async function serveText(context: TestContext, status: number, text: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/metrics`;
}

describe('restwright versions', () => {
  it('[VER-4a] lists the state of each version, and what a migration changes in its rows', async (context) => {
    const { code, stdout } = await new Folder(context).run([]);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `version  state                                     rows of it, when migrated
3.0.0    current                                   -
2.0.0    served                                    1 change, 1 may need consent
  books: drops fax (needs consent: rows that have a value lose it; cannot be reversed)
1.4.0    deprecated 2026-06-01, sunset 2027-06-01  3 changes, 1 may need consent
  books: renames title to name
  books: maps values of state (new to NEW, old to OLD)
  books: drops fax (needs consent: rows that have a value lose it; cannot be reversed)
1.0.0    retired                                   not converted
`,
    );
  });

  it('[VER-4b] names the callers of a log, in JSON and as readable lines', async (context) => {
    const json = OBSERVATIONS.map((each) => jsonLine(each, TIME)).join('');
    const readable = OBSERVATIONS.map((each) => readableLine(each, TIME, true)).join('');
    for (const log of [`not a log\n{"event":"deprecated_contract","version"\n${json}`, `pod-1 | ${readable}`]) {
      const folder = new Folder(context, log);
      const { stdout } = await folder.run(['--log', folder.log]);
      assert.match(stdout, /^version .* called by$/m);
      assert.match(stdout, /^1\.4\.0 .* "ann by app" \(3\), "bob\\.*\[31m" \(2\), 192\.0\.2\.7 \(1\), 1 others$/m);
      assert.match(stdout, /^3\.0\.0 .* -$/m);
      assert.match(stdout, /^0\.9\.0 {4}not in the model .* "old tool" \(1\)$/m);
      assert.ok(!stdout.includes('\u001b'), 'the name of a caller does not reach the terminal');
    }
  });

  it('[VER-4b] has the callers as JSON, with the time of their last request', async (context) => {
    const folder = new Folder(context, OBSERVATIONS.map((each) => jsonLine(each, TIME)).join(''));
    const { stdout } = await folder.run(['--log', folder.log, '--json']);
    const { model, newest, versions } = JSON.parse(stdout);
    assert.deepEqual([model, newest, versions.length], [folder.model, '3.0.0', 5]);
    const { rows, callers, ...older } = versions[2];
    assert.deepEqual(older, {
      version: '1.4.0',
      state: 'deprecated',
      deprecated: '2026-06-01',
      sunset: '2027-06-01',
      requests: 7,
      more_callers: false,
    });
    assert.deepEqual(callers[0], { caller: 'ann by app', requests: 3, last: TIME });
    assert.deepEqual(
      rows.map(({ change }: { change: string }) => change),
      ['rename', 'values', 'with'],
    );
    const none = JSON.parse((await folder.run(['--json'])).stdout);
    assert.deepEqual([none.versions[2].requests, none.versions[2].callers], [null, null]);
  });

  it('[OPS-2b] counts the requests of the metrics of a server', async (context) => {
    const metrics = `# TYPE http_server_request_duration_seconds histogram
http_server_request_duration_seconds_bucket{http_route="/a",api_version="1.4.0",le="1"} 900
http_server_request_duration_seconds_count{http_request_method="GET",http_route="/a",api_version="1.4.0"} 40
http_server_request_duration_seconds_count{http_request_method="GET",http_route="/b",api_version="1.4.0"} 2
http_server_request_duration_seconds_count{http_request_method="GET",http_route="/healthz",api_version=""} 7
http_server_request_duration_seconds_count{http_request_method="GET",http_route="/a",api_version="3.0.0"} 1200
restwright_deprecated_requests_total{api_version="1.4.0"} 41
restwright_deprecated_requests_total{api_version="2.0.0"} NaN
`;
    const url = await serveText(context, 200, metrics);
    const { stdout, code } = await new Folder(context).run(['--metrics', url]);
    assert.equal(code, 0);
    assert.match(stdout, /^3\.0\.0 .* 1,200 requests$/m);
    assert.match(stdout, /^1\.4\.0 .* 42 requests$/m);
    assert.match(stdout, /^2\.0\.0 .* -$/m);
  });

  it('[OPS-2b] reads the metrics that a server writes', async (context) => {
    const metrics = createMetrics();
    context.after(() => metrics.close());
    for (const each of OBSERVATIONS) metrics.observe(each);
    const url = await serveText(context, 200, await metrics.text());
    assert.match((await new Folder(context).run(['--metrics', url])).stdout, /^1\.4\.0 .* 7 requests$/m);
  });

  it('says why a log or metrics cannot be read, without credentials', async (context) => {
    const folder = new Folder(context);
    const refused = await serveText(context, 401, '');
    const cases: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
      [['--metrics', refused], 1, /has status 401; name the URL of \/metrics, which --metrics-port serves without/],
      [['--metrics', 'http://127.0.0.1:1/metrics'], 1, /^error: --metrics: http:\S+ cannot be read: /],
      [['--metrics', 'shop.prom'], 2, /the value is not a URL of HTTP/],
      [['--metrics', 'http://ann:secret@127.0.0.1/metrics'], 2, /the URL must not contain credentials/],
      [['--log', `${folder.log}.none`], 2, /cannot read .*books\.log\.none: no such file/],
      [['--log', folder.log, '--metrics', refused], 2, /--log and --metrics cannot be combined/],
    ];
    for (const [args, code, message] of cases) {
      const printed = await folder.run(args);
      assert.equal(printed.code, code, printed.stderr);
      assert.match(printed.stderr, message);
      assert.ok(!printed.stderr.includes('secret'));
    }
  });

  it('bounds what it keeps of a log', async (context) => {
    const many = Array.from({ length: 10_050 }, (_, at) => calls('1.4.0', `caller ${at}`, 1)).flat();
    const long = `{"event":"deprecated_contract","version":"1.4.0","caller":"${'x'.repeat(2_000_000)}"}\n`;
    const folder = new Folder(context, long + many.map((each) => jsonLine(each, TIME)).join(''));
    const { stdout } = await folder.run(['--log', folder.log, '--json']);
    const [, , older] = JSON.parse(stdout).versions;
    assert.deepEqual([older.requests, older.callers.length, older.more_callers], [10_050, 1_000, true]);
  });

  it('has colours on terminals, unless NO_COLOR is set', async (context) => {
    const folder = new Folder(context);
    const plain = (await folder.run([], { NO_COLOR: '1' }, true)).stdout;
    const coloured = (await folder.run([], {}, true)).stdout;
    assert.notEqual(coloured, plain);
    assert.equal(stripVTControlCharacters(coloured), plain);
    assert.equal(stripVTControlCharacters(plain), plain);
  });
});
