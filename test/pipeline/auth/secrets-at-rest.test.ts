import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { jsonLine } from '../../../src/observe/log-json.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';

const MODEL = `
name: desk
resources:
  devices:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        hint: { type: string }
        name: { type: string }
        pin: { type: string, writeOnly: true }
        token: { type: string, x-shown-once: true }
    generated: { token: { secret: tk_, hint: hint } }
    events: full
`;
const PIN = 'open-sesame';
/**
 * Longer than the hint, which shows the prefix and 8 characters; in the file a name follows, which begins with a bar.
 */
const SECRET = /tk_[\w-]{9}/;
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

type Send = (desk: ApiUnderTest, id: string) => Promise<readonly Seen[]>;

const key = (id: string): Record<string, string> => ({ 'Idempotency-Key': id });
const row = (id: string): object => ({ id, name: '|lamp', pin: PIN });
const operations = (id: string): readonly object[] => [
  { method: 'POST', path: '/devices', body: row(id) },
  { method: 'PUT', path: `/devices/${id}-2`, body: row(`${id}-2`) },
];

/** Every way to create a row; the first response shows its secret, unless it is a line. */
const CREATIONS: readonly (readonly [title: string, shows: boolean, send: Send])[] = [
  ['POST', true, async (desk, id) => [await desk.send({ send: 'POST /api/v1/devices', body: row(id) })]],
  ['PUT', true, async (desk, id) => [await desk.send({ send: `PUT /api/v1/devices/${id}`, body: row(id) })]],
  [
    'POST in XML',
    true,
    async (desk, id) => [
      await desk.send({ send: 'POST /api/v1/devices', headers: { Accept: 'application/xml' }, body: row(id) }),
    ],
  ],
  [
    'POST under a key, sent twice',
    true,
    async (desk, id) => twice(desk, { send: 'POST /api/v1/devices', body: row(id) }, id),
  ],
  ...[true, false].flatMap((atomic) => [
    [
      `a batch, atomic ${atomic}`,
      true,
      async (desk: ApiUnderTest, id: string) => [
        await desk.send({ send: 'POST /api/v1/batches', body: { atomic, operations: operations(id) } }),
      ],
    ] as const,
    [
      `a batch under a key, sent twice and read, atomic ${atomic}`,
      true,
      async (desk: ApiUnderTest, id: string) => {
        const send = { send: 'POST /api/v1/batches', body: { atomic, operations: operations(id) } };
        const [first, again] = await twice(desk, send, id);
        const read = await desk.send({ send: `GET ${first?.headers.get('location')}` });
        return [first, again, read].filter((one) => one !== undefined);
      },
    ] as const,
  ]),
  [
    'lines of NDJSON under a key, sent twice',
    false,
    async (desk, id) =>
      twice(desk, { send: 'POST /api/v1/devices', headers: NDJSON, body: `${JSON.stringify(row(id))}\n` }, id),
  ],
  [
    'POST after a conflict, and of an invalid row',
    true,
    async (desk, id) => {
      const made = await desk.send({ send: 'POST /api/v1/devices', body: row(id) });
      const conflict = await desk.send({ send: 'POST /api/v1/devices', body: row(id) });
      const invalid = await desk.send({ send: 'POST /api/v1/devices', body: { id: `${id}x`, pin: PIN, name: 5 } });
      assert.deepEqual([conflict.status, invalid.status], [409, 400]);
      return [made, conflict, invalid];
    },
  ],
  [
    'a dry run, then PATCH and DELETE under keys',
    false,
    async (desk, id) => {
      const dry = await desk.send({ send: 'POST /api/v1/devices?dry_run=true', body: row(id) });
      const { status } = await desk.send({ send: 'POST /api/v1/devices', body: row(id) });
      assert.equal(status, 201);
      const body = { pin: `${PIN}-2`, name: '|new' };
      const patch = { send: `PATCH /api/v1/devices/${id}`, headers: MERGE, body };
      const patched = await twice(desk, patch, `${id}p`);
      const removed = await desk.send({ send: `DELETE /api/v1/devices/${id}` });
      return [dry, ...patched, removed];
    },
  ],
];

async function twice(
  desk: ApiUnderTest,
  request: Parameters<ApiUnderTest['send']>[0],
  id: string,
): Promise<readonly Seen[]> {
  const keyed = { ...request, headers: { ...request.headers, ...key(id) } };
  const first = await desk.send(keyed);
  const again = await desk.send(keyed);
  const isLines = request.headers?.['Content-Type'] === NDJSON['Content-Type'];
  if (isLines) assert.match(again.text, /"replayed":true/);
  else assert.equal(again.headers.get('idempotent-replayed'), 'true', again.text);
  return [first, again];
}

/** An API whose database is a file. */
async function open(test: TestContext): Promise<{ readonly desk: ApiUnderTest; readonly folder: string }> {
  const folder = temporaryDirectory(test);
  return { desk: await apiUnderTest(MODEL, { database: path.join(folder, 'desk.db') }), folder };
}

/** Reads every byte of the database: its file, with free pages, and its log. */
function readDatabase(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('');
}

/** The values of all tables but that of the rows themselves: records, batches, events, deliveries, search. */
function otherTables(folder: string): string {
  const database = new DatabaseSync(path.join(folder, 'desk.db'), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'devices'").all();
    const values = tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all());
    return JSON.stringify(values, (_name, held: unknown) =>
      held instanceof Uint8Array ? Buffer.from(held).toString('latin1') : held,
    );
  } finally {
    database.close();
  }
}

/** Formats all observations as lines of the log. */
function formatLog({ observations }: ApiUnderTest): string {
  return observations.map((one) => jsonLine(one, '2026-01-01')).join('\n');
}

describe('a secret that is shown once, and a write-only value', () => {
  for (const [title, shows, send] of CREATIONS) {
    it(`[REP-11a] [MET-12] [MET-13] are at rest nowhere but in the row, and in no second response: ${title}`, async (test) => {
      const { desk, folder } = await open(test);
      try {
        const [first, ...others] = await send(desk, 'a');
        assert.equal(SECRET.test(first?.text ?? ''), shows, first?.text ?? 'no response');
        if (shows) assert.equal(first?.headers.get('etag'), undefined);
        for (const { text } of others) assert.doesNotMatch(text, SECRET);
        for (const { text } of [first, ...others].filter((one) => one !== undefined))
          assert.ok(!text.includes(PIN), text);
        const live = readDatabase(folder);
        assert.ok(!SECRET.test(live), 'the secret is in a file');
        assert.ok(live.includes(PIN), 'the files that are searched have the row');
        const tables = otherTables(folder);
        assert.ok(tables.includes('device.created'), 'the tables that are searched have the events');
        assert.ok(!tables.includes(PIN));
        const logged = formatLog(desk);
        assert.doesNotMatch(logged, SECRET);
        assert.ok(logged.includes('"status":') && !logged.includes(PIN), logged);
      } finally {
        await desk.close();
      }
      assert.ok(!SECRET.test(readDatabase(folder)), 'the secret is in a file');
    });
  }
});
