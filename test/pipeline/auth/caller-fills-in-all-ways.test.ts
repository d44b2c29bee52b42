import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, type DefinedModel, resource } from '../../../src/index.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const SCHEMA = {
  type: 'object',
  required: ['tenant'],
  properties: {
    tenant: { type: 'string', maxLength: 8, 'x-default': '$caller.claims.tenant' },
    author: { type: 'string', 'x-default': '$caller.subject', 'x-override': true },
    text: { type: 'string' },
  },
} as const;

/** Notes, whose hook writes a log entry of each with the values that it is given. */
function desk(logged: Readonly<Record<string, string>> = {}): DefinedModel {
  const access = { read: 'authenticated', write: 'authenticated' } as const;
  return defineModel({
    name: 'desk',
    auth: {
      issuers: [
        {
          name: 'test',
          issuer: 'https://id.example.com',
          audience: 'desk',
          hs256_secret: '0123456789abcdef0123456789abcdef',
        },
      ],
    },
    limits: { rate: false },
    resources: {
      logs: resource({ schema: SCHEMA, access }),
      notes: resource({
        id: 'client',
        schema: SCHEMA,
        access,
        before: {
          create: async (draft, { writes }) => {
            await writes.create('logs', { text: 'made', ...logged });
            return draft;
          },
        },
      }),
    },
  });
}

const ann = as({ subject: 'ann', claims: { tenant: 'acme' } });
const open = (model = desk()): Promise<ApiUnderTest> => apiUnderTest(model, { tokens: callerTokens() });
const NOTES = 'POST /api/v1/notes';

/** Lists the tenant and the author of each log entry, in alphabetical order. */
async function listLogs(api: ApiUnderTest): Promise<readonly unknown[]> {
  const { body } = await api.send({ send: 'GET /api/v1/logs', headers: ann });
  return body.data
    .map(({ tenant, author }: Record<string, unknown>) => `${String(tenant)} ${String(author)}`)
    .toSorted();
}

describe('fields that are filled from the caller, in rows that a hook writes', () => {
  it('[AUTH-12] have the values of the caller of the request', async () => {
    await using api = await open();
    const { status, text } = await api.send({ send: NOTES, headers: ann, body: { id: 'a' } });
    assert.equal(status, 201, text);
    assert.deepEqual(await listLogs(api), ['acme ann']);
  });

  it('[AUTH-12] have those of the hook, which may set them', async () => {
    await using api = await open(desk({ tenant: 'audit', author: 'hook' }));
    const { status, text } = await api.send({ send: NOTES, headers: ann, body: { id: 'a' } });
    assert.equal(status, 201, text);
    assert.deepEqual(await listLogs(api), ['audit hook']);
  });

  it('[AUTH-12] are those of each caller, in lines of NDJSON and operations of a batch', async () => {
    await using api = await open();
    const bob = as({ subject: 'bob', claims: { tenant: 'byte' } });
    const headers = { ...ann, 'Content-Type': 'application/x-ndjson' };
    await api.send({ send: NOTES, headers, body: '{"id":"a"}\n{"id":"b"}\n' });
    const operations = [{ method: 'POST', path: '/notes', body: { id: 'c' } }];
    await api.send({ send: 'POST /api/v1/batches', headers: bob, body: { atomic: true, operations } });
    assert.deepEqual(await listLogs(api), ['acme ann', 'acme ann', 'byte bob']);
  });
});

describe('fields that are filled from the caller, in bodies of each format', () => {
  const BOUNDARY = 'b';
  const part = (name: string, value: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const multipart = (...parts: readonly string[]): string => `${parts.join('')}--${BOUNDARY}--\r\n`;
  for (const [type, body, overriding] of [
    ['application/x-www-form-urlencoded', 'id=a&tenant=byte&text=x', 'id=b&author=eve'],
    [
      `multipart/form-data; boundary=${BOUNDARY}`,
      multipart(part('id', 'a'), part('tenant', 'byte'), part('text', 'x')),
      multipart(part('id', 'b'), part('author', 'eve')),
    ],
    [
      'application/xml',
      '<note><id>a</id><tenant>byte</tenant><text>x</text></note>',
      '<note><id>b</id><author>eve</author></note>',
    ],
  ] as const)
    it(`[AUTH-12] are not what a read-only field of ${type.replace(/;.*/, '')} says`, async () => {
      await using api = await open();
      const headers = { ...ann, 'Content-Type': type };
      const made = await api.send({ send: NOTES, headers, body });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual([made.body.tenant, made.body.author, made.body.text], ['acme', 'ann', 'x']);
      const overridden = await api.send({ send: NOTES, headers, body: overriding });
      assert.deepEqual([overridden.body.tenant, overridden.body.author], ['acme', 'eve'], overridden.text);
    });

  it('[AUTH-12] refuse a form of a caller without the value', async () => {
    await using api = await open();
    const headers = { ...as({ subject: 'eve' }), 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await api.send({ send: NOTES, headers, body: 'id=a&tenant=byte' });
    assert.deepEqual([status, body.errorCode, body.details[0].field], [403, 'NOTE_FORBIDDEN', 'tenant']);
  });
});

describe('fields that are filled from the caller, in files that are imported', () => {
  it('[AUTH-12] have the values of the file, and are not filled', async () => {
    await using api = await open();
    const rows = [
      { id: 'a', tenant: 'byte', author: 'eve' },
      { id: 'b', tenant: 'byte' },
    ];
    assert.equal((await api.api.importRows('notes', rows)).kind, 'stored');
    const { body } = await api.send({ send: 'GET /api/v1/notes', headers: ann });
    assert.deepEqual(
      body.data.map(({ tenant, author }: Record<string, unknown>) => [tenant, author]),
      [
        ['byte', 'eve'],
        ['byte', null],
      ],
    );
  });

  it('[AUTH-12] are missing there where they are required', async () => {
    await using api = await open();
    const outcome = await api.api.importRows('notes', [{ id: 'a', author: 'eve' }]);
    assert.ok(outcome.kind === 'refused');
    assert.deepEqual(
      outcome.errors.flatMap(({ details }) => details.map(({ field }) => field)),
      ['tenant'],
    );
  });
});
