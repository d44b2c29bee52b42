import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventEnvelope } from '../../src/conventions/event.ts';
import { isStreamed } from '../../src/pipeline/exchange.ts';
import { SeededRandom } from '../../src/testing/seeded-random.ts';
import { isTrue } from '../oracle/policies.ts';
import type { RuledCaller, RuledField, Tree } from '../oracle/ruled-model.ts';
import type { Value } from '../oracle/values.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.ts';
import { as, callerTokens } from './caller-tokens.ts';

const FIELDS: Readonly<Record<string, RuledField>> = {
  tenant: { kind: 'text' },
  level: { kind: 'number' },
  open: { kind: 'boolean' },
  /** Of every row the same: the caller with its value sees all rows. */
  one: { kind: 'text' },
};

type Row = Readonly<Record<string, Value>>;

/** A change, as the test made it. */
interface Change {
  readonly before: Row | null;
  readonly after: Row | null;
}

const SCOPES = ['events:read', 'notes:read', 'notes:write', 'marks:read', 'marks:write'];
const WRITER: RuledCaller = { subject: 'writer', scopes: SCOPES, claims: { writer: 'x' } };
const READERS: readonly RuledCaller[] = [
  { subject: 'ann', scopes: SCOPES, claims: { tenant: 'a', level: 1 } },
  { subject: 'bob', scopes: SCOPES, claims: { tenant: 'b', levels: [2, 3] } },
  { subject: 'eve', scopes: SCOPES, claims: { tenant: 7 } },
];

function randomTree(random: SeededRandom, depth = 0): Tree {
  const inner = (): readonly Tree[] =>
    Array.from({ length: 1 + random.integer(2) }, () => randomTree(random, depth + 1));
  if (depth < 2 && random.oneIn(2))
    return random.pick<() => Tree>([
      () => ({ all: inner() }),
      () => ({ any: inner() }),
      () => ({ not: randomTree(random, depth + 1) }),
    ])();
  return random.pick<Tree>([
    { tenant: '$caller.claims.tenant' },
    { tenant: { ne: '$caller.claims.tenant' } },
    { tenant: { exists: false } },
    { tenant: '$caller.subject' },
    { level: { gte: '$caller.claims.level' } },
    { level: { in: '$caller.claims.levels' } },
    { level: { nin: [1, 2] } },
    { open: true },
    { open: { ne: true } },
  ]);
}

function randomRow(random: SeededRandom): Row {
  return {
    tenant: random.pick(['a', 'b', 'ann', null]),
    level: random.pick([0, 1, 2, 3, null]),
    open: random.pick([true, false, null]),
    one: 'x',
  };
}

const asCaller = ({ subject, scopes, claims }: RuledCaller): Readonly<Record<string, string>> =>
  as({ subject: subject ?? '', scopes: scopes ?? [], claims: JSON.parse(JSON.stringify(claims)) });

/** Makes random changes, and a last one that everyone sees. */
async function makeChanges(api: ApiUnderTest, random: SeededRandom): Promise<readonly Change[]> {
  const rows = new Map<string, Row>();
  const changes: Change[] = [];
  const headers = asCaller(WRITER);
  const send = async (request: string, body?: unknown): Promise<void> => {
    const got = await api.send({ send: request, headers, body });
    assert.ok(got.status < 300, got.text);
  };
  while (changes.length < 24) {
    const id = random.pick(['a', 'b', 'c']);
    const before = rows.get(id) ?? null;
    const after = before !== null && random.oneIn(4) ? null : randomRow(random);
    // What changes nothing is no event.
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    if (after === null) await send(`DELETE /api/v1/notes/${id}`);
    else if (before === null) await send('POST /api/v1/notes', { id, ...after });
    else await send(`PATCH /api/v1/notes/${id}`, after);
    if (after === null) rows.delete(id);
    else rows.set(id, after);
    changes.push({ before, after });
  }
  await send('POST /api/v1/marks', { id: 'end' });
  return changes;
}

/** What a reader sees of each change: its sequence, and whether the row is in it. */
function expectedOf(changes: readonly Change[], reader: RuledCaller, tree: Tree): readonly string[] {
  const sees = (row: Row | null): boolean =>
    row !== null &&
    isTrue(tree, reader, (path) => ({ value: row[path] ?? null, field: FIELDS[path] ?? assert.fail() }));
  return changes.flatMap(({ before, after }, index) => {
    if (sees(after) || (after === null && sees(before))) return [`${index + 1} row`];
    return after !== null && sees(before) ? [`${index + 1} left`] : [];
  });
}

function described({ metadata, payload }: EventEnvelope, isFull: boolean): string {
  return `${Number(metadata.sequence)} ${isFull && payload.data === undefined ? 'left' : 'row'}`;
}

async function pagesOf(
  api: ApiUnderTest,
  headers: Readonly<Record<string, string>>,
): Promise<readonly EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  for (let next: string | undefined = '/api/v1/events?limit=5'; next !== undefined; ) {
    const { body } = await api.send({ send: `GET ${next}`, headers });
    events.push(...body.data);
    next = body.links.next;
  }
  return events;
}

/** The events of the feed from the beginning, up to the last change. */
async function feedOf(api: ApiUnderTest, headers: Readonly<Record<string, string>>): Promise<readonly EventEnvelope[]> {
  const sent = { ...headers, Accept: 'text/event-stream', 'Last-Event-ID': '0' };
  const response = await api.api.handle(rawRequest({ send: 'GET /api/v1/events', headers: sent }));
  assert.ok(isStreamed(response));
  const events: EventEnvelope[] = [];
  for await (const part of response.body) {
    for (const [, data = ''] of part.matchAll(/^data: (.*)$/gm)) events.push(JSON.parse(data));
    if (events.at(-1)?.type === 'mark.created') break;
  }
  return events;
}

describe('random row policies over random changes', () => {
  it('[EVT-8d] [AUTH-5a] show in pages and feeds the events of rows that were visible before or after, and no other', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = new SeededRandom(seed);
      const tree = randomTree(random);
      const isFull = random.oneIn(2);
      const read = JSON.stringify({ any: [{ one: '$caller.claims.writer' }, tree] });
      await using api = await apiUnderTest(
        `
name: desk
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
resources:
  notes:
    id: client
    events: ${isFull ? 'full' : 'thin'}
    access: { rows: { read: ${read} } }
    schema: { type: object, properties: { tenant: { type: string }, level: { type: integer }, open: { type: boolean }, one: { type: string } } }
  marks: { id: client, schema: { type: object } }
`,
        { tokens: callerTokens() },
      );
      const changes = await makeChanges(api, random);
      for (const reader of READERS) {
        const headers = asCaller(reader);
        const expected = [...expectedOf(changes, reader, tree), `${changes.length + 1} row`];
        // A thin event never has data: what has left the sight looks like any other.
        const wanted = isFull
          ? expected.slice(0, -1)
          : expected.map((each) => each.replace('left', 'row')).slice(0, -1);
        for (const events of [await pagesOf(api, headers), await feedOf(api, headers)]) {
          const got = events.map((event) => described(event, isFull));
          assert.deepEqual(got.slice(0, -1), wanted, `seed ${seed}, ${reader.subject}, ${read}`);
          assert.equal(events.at(-1)?.type, 'mark.created');
        }
      }
    }
  });
});
