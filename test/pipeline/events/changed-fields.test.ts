import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { EventLog } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Seen, type Setting } from '../support/api-under-test.ts';
import { changedLog } from '../support/changed-log.ts';

const MODEL = `
name: depot
version: 4.0.0
default_version: 4
resources:
  shelves:
    singular: rack
    id: client
    schema:
      type: object
      properties:
        kind: { type: string }
        code: { type: string }
        place:
          type: object
          properties:
            room: { type: string }
            floor: { type: integer }
            tags: { type: array, items: { type: string } }
            box: { type: object, properties: { depth: { type: integer }, width: { type: integer } } }
  plain: { id: client, schema: { type: object, properties: { at: { type: object, properties: { x: { type: integer } } } } } }
versions:
  3.0.0:
    changes:
      - { resource: shelves, move: { room: place.room } }
  2.0.0:
    changes:
      - { resource: shelves, move: { level: place.floor } }
      - { resource: shelves, move: { place.label: code } }
  1.0.0:
    changes:
      - { resource: shelves, move: { depth: place.box.depth } }
      - { resource: shelves, rename: { position: place } }
      - { resource: shelves, without: [level] }
`;

const VERSIONS = [4, 3, 2, 1];
type Changed = readonly (readonly string[])[];

/** The `changed_fields` of the last event, in each version. */
async function lastChanged(api: ApiUnderTest): Promise<Changed> {
  const changed = VERSIONS.map(async (version) => {
    const { body, status, text }: Seen = await api.send({ send: `GET /api/v${version}/events` });
    assert.equal(status, 200, text);
    return body.data.at(-1).payload.changed_fields;
  });
  return Promise.all(changed);
}

async function write(api: ApiUnderTest, send: string, body: object): Promise<Changed> {
  const { status, text } = await api.send({ send, body });
  assert.ok(status < 300, `${send}: ${text}`);
  return lastChanged(api);
}

/** The row in each version. */
function rows(api: ApiUnderTest): Promise<readonly Record<string, unknown>[]> {
  return Promise.all(
    VERSIONS.map(async (version) => (await api.send({ send: `GET /api/v${version}/shelves/r` })).body),
  );
}

/** The names of the fields whose values differ. */
function differing(one: Record<string, unknown>, other: Record<string, unknown>): readonly string[] {
  const declared = Object.keys(one).filter((name) => !['updated_at', 'revision', 'links'].includes(name));
  return declared.filter((name) => !isDeepStrictEqual(one[name], other[name])).toSorted();
}

const open = (setting: Setting = {}): Promise<ApiUnderTest> => apiUnderTest(MODEL, setting);

describe('the changed fields of an event in an older version', () => {
  it('[EVT-2] [VER-5a] are those whose values changed there, where members of objects are elsewhere', async () => {
    await using api = await open();
    const place = { room: 'a', floor: 1, box: { depth: 1, width: 1 } };
    const created = await write(api, 'POST /api/v4/shelves', { id: 'r', kind: 'k', code: 'c', place });
    assert.deepEqual(
      created.map(sorted),
      [
        ['kind', 'code', 'place'],
        ['kind', 'code', 'place', 'room'],
        ['kind', 'place', 'room', 'level'],
        ['kind', 'position', 'room', 'depth'],
      ].map(sorted),
    );
    const patches: readonly (readonly [patch: object, changed: Changed])[] = [
      [
        { kind: 'l', place: { room: 'b' } },
        [
          ['kind', 'place'],
          ['kind', 'room'],
          ['kind', 'room'],
          ['kind', 'room'],
        ],
      ],
      [{ place: { floor: 2 } }, [['place'], ['place'], ['level'], []]],
      [{ place: { tags: ['x'] } }, [['place'], ['place'], ['place'], ['position']]],
      [{ place: { box: { depth: 2 } } }, [['place'], ['place'], ['place'], ['depth']]],
      [
        { place: { room: 'c', box: { width: 2 } } },
        [['place'], ['place', 'room'], ['place', 'room'], ['position', 'room']],
      ],
      [{ code: 'd' }, [['code'], ['code'], ['place'], ['position']]],
      [{ place: { box: null } }, [['place'], ['place'], ['place'], ['position', 'depth']]],
      [{ place: null }, [['place'], ['place', 'room'], ['level', 'place', 'room'], ['position', 'room']]],
    ];
    for (const [patch, changed] of patches) {
      const before = await rows(api);
      const found = await write(api, 'PATCH /api/v4/shelves/r', patch);
      assert.deepEqual(found.map(sorted), changed.map(sorted), JSON.stringify(patch));
      const after = await rows(api);
      assert.deepEqual(
        found.map(sorted),
        after.map((row, index) => differing(row, before[index] ?? {})),
      );
    }
    // An unset object may exist in an older version, because of a member that was moved into it.
    // Setting the object changes it there too.
    const set = await write(api, 'PATCH /api/v4/shelves/r', { place: { floor: 1 } });
    assert.deepEqual(set.map(sorted), [['place'], ['place'], ['level', 'place'], ['position']]);
  });

  it('[EVT-2] [VER-5a] are named by a write in the older version itself', async () => {
    await using api = await open();
    await write(api, 'POST /api/v3/shelves', { id: 'r', kind: 'k', room: 'a' });
    assert.deepEqual((await lastChanged(api))[1], ['kind', 'place', 'room']);
    assert.deepEqual((await write(api, 'PATCH /api/v3/shelves/r', { kind: 'l', room: 'b' }))[1], ['kind', 'room']);
  });

  it('[EVT-2] [VER-5a] are all that may have changed, in events of before that was stored', async () => {
    await using api = await open({
      breaking: (store) => ({ ...store, events: withoutMembers(store.events) }),
    });
    await write(api, 'POST /api/v4/shelves', { id: 'r', place: { room: 'a' } });
    assert.deepEqual((await write(api, 'PATCH /api/v4/shelves/r', { place: { floor: 2 } })).map(sorted), [
      ['place'],
      ['place', 'room'],
      ['level', 'place', 'room'],
      ['depth', 'position', 'room'],
    ]);
  });

  it('[EVT-2] are stored by paths only where an older version needs them', async () => {
    await using api = await open();
    await write(api, 'POST /api/v4/plain', { id: 'p', at: { x: 1 } });
    await write(api, 'POST /api/v4/shelves', { id: 'r', kind: 'k', place: { room: 'a' } });
    const logged = await api.store.events.list({ after: 0, limit: 2 });
    assert.deepEqual(
      logged.map(({ access }) => access?.members),
      [undefined, ['place', 'place.room']],
    );
  });
});

function sorted(names: readonly string[]): readonly string[] {
  return names.toSorted();
}

/** A log of a server that stored the changed fields alone. */
function withoutMembers(events: EventLog): EventLog {
  return changedLog(events, {
    list: async (query) =>
      (await events.list(query)).map(({ sequence, type, event, json, access }) => {
        if (access === null) return { sequence, type, event, json, access };
        const { members: _members, ...left } = access;
        return { sequence, type, event, json, access: left };
      }),
  });
}
