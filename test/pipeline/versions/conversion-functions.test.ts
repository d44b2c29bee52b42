import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';

const TEXT = { type: 'string' } as const;
const people = resource({
  id: 'client',
  schema: {
    type: 'object',
    required: ['last'],
    properties: { first: TEXT, last: TEXT, cents: { type: 'integer' }, address: TEXT },
  },
});

const MODEL = defineModel({
  name: 'staff',
  version: '2.0.0',
  default_version: 2,
  resources: { people },
  versions: {
    '1.4.0': {
      changes: [
        {
          resource: 'people',
          split: {
            name: {
              schema: TEXT,
              into: ['first', 'last'],
              up: (name: string) => {
                const [first = '', last] = name.split(' ');
                if (last === undefined) throw new Error(`no last name in ${name}`);
                return { first, last };
              },
              down: ({ first, last }: { first: string; last: string }) => {
                if (last === 'broken') throw new Error('a stored value');
                return `${first} ${last}`;
              },
            },
          },
          type: {
            pay: {
              to: 'cents',
              schema: TEXT,
              up: (pay: string) => Number(BigInt(pay) * 100n),
              down: (cents: number) => `${cents / 100}`,
            },
          },
          join: {
            address: {
              from: { street: TEXT, city: TEXT },
              up: ({ street, city }: { street: string; city: string }) => `${street.trim()}, ${city.trim()}`,
              down: (address: string) => ({ street: address.split(', ')[0] ?? '', city: address.split(', ')[1] ?? '' }),
            },
          },
        },
      ],
    },
    '1.0.0': { changes: [{ resource: 'people', rename: { label: 'name' } }] },
  },
});

/** Members that a function throws for, or of which it makes no JSON, with the field of the error in 1.4 and in 1.0. */
const REFUSED: readonly (readonly [member: object, newer: string, older: string])[] = [
  [{ name: 'Ada' }, 'name', 'label'],
  [{ name: 'Ada King', pay: 'much' }, 'pay', 'pay'],
  [{ name: 'Ada King', street: 'Main 1', city: null }, 'street', 'street'],
];
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

function errors(api: ApiUnderTest): readonly string[] {
  return api.observations.flatMap((each) => (each.kind === 'error' ? [String(each.error)] : []));
}

describe('a function that converts a value of an older contract', () => {
  for (const version of ['1.4', '1.0']) {
    for (const [members, newer, older] of REFUSED) {
      it(`[VER-5a] [ERR-3] is a 400 at the field if it throws, with one line in the log, in ${version}: ${newer}`, async () => {
        await using api = await apiUnderTest(MODEL);
        const send = (line: string, { name, ...rest }: Readonly<Record<string, unknown>>, type = {}): Promise<Seen> => {
          const named = name === undefined ? rest : { [version === '1.4' ? 'name' : 'label']: name, ...rest };
          return api.send({ send: line, headers: { 'API-Version': version, ...type }, body: JSON.stringify(named) });
        };
        await send('POST /api/v1/people', { id: 'a', name: 'Ada King', street: 'Main 1', city: 'Oslo' });
        const requests = [
          ['POST /api/v1/people', { id: 'b', ...members }, { 'Content-Type': 'application/json' }],
          ['PUT /api/v1/people/a', { ...members }, { 'Content-Type': 'application/json' }],
          ['PATCH /api/v1/people/a', { ...members }, MERGE],
        ] as const;
        for (const [index, [line, body, type]] of requests.entries()) {
          const got = await send(line, body, type);
          assert.deepEqual([got.status, got.body.errorCode], [400, 'PERSON_INVALID'], got.text);
          const message = 'has no counterpart in newer versions; send another value';
          assert.deepEqual(got.body.details, [{ field: version === '1.4' ? newer : older, message }]);
          assert.equal(errors(api).length, index + 1, errors(api).join('\n'));
        }
        const upload = await send(
          'POST /api/v1/people',
          { id: 'c', ...members },
          { 'Content-Type': 'application/x-ndjson' },
        );
        assert.equal(JSON.parse(upload.text).status, 400, upload.text);
        assert.equal(errors(api).length, 4);
      });
    }
  }

  it('[ERR-7] is a 500 if it throws for a stored value', async () => {
    await using api = await apiUnderTest(MODEL);
    await api.send({ send: 'POST /api/v2/people', body: { id: 'a', first: 'Ada', last: 'broken' } });
    assert.equal((await api.send({ send: 'GET /api/v1/people/a' })).status, 500);
    assert.deepEqual(errors(api), ['Error: a stored value']);
  });
});
