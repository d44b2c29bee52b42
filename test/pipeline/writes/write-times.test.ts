import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type ApiUnderTest, apiUnderTest, START } from '../support/api-under-test.ts';
import { create, parseIds } from '../models/shop-model.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const MODEL = `
name: desk
version: 1.0.0
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

async function note(desk: ApiUnderTest, id: string): Promise<Readonly<Record<string, string>>> {
  return (await desk.send({ send: `GET /api/v1/notes/${id}` })).body;
}

function clockObservations({ observations }: ApiUnderTest): readonly object[] {
  return observations.filter(({ kind }) => kind === 'clock-behind');
}

describe('the times of writes', () => {
  it('[REP-13] do not go back while the clock does, and go on with it', async () => {
    await using desk = await apiUnderTest(MODEL);
    await create(desk, 'notes', { id: 'b' });
    desk.clock.advance(-HOUR);
    await create(desk, 'notes', { id: 'c' });
    await desk.send({ send: 'PATCH /api/v1/notes/c', body: { text: 'x' } });
    const seen = await note(desk, 'c');
    assert.deepEqual([seen['created_at'], seen['updated_at']], [time(START), time(START)]);
    desk.clock.advance(HOUR + 5);
    await create(desk, 'notes', { id: 'a' });
    assert.equal((await note(desk, 'a'))['created_at'], time(START + 5));
    assert.deepEqual(parseIds(await desk.send({ send: 'GET /api/v1/notes' })), ['b', 'c', 'a']);
    // A client that asks for what is new since the last time that it saw misses nothing.
    assert.deepEqual(parseIds(await desk.send({ send: `GET /api/v1/notes?start_time=${time(START)}` })), [
      'b',
      'c',
      'a',
    ]);
    const events = await desk.store.events.after(0, 10);
    assert.deepEqual(
      events.map(({ payload }) => payload.timestamp),
      [START, START, START, START + 5].map(time),
    );
  });

  it('[REP-13] do not go back over a restart, which is observed where the clock is more than a minute behind', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    for (const [id, clock, written, isObserved] of [
      ['a', START, START, false],
      ['b', START - HOUR, START, true],
      ['c', START - 1_000, START, false],
      ['d', START + 7, START + 7, false],
    ] as const) {
      await using desk = await apiUnderTest(MODEL, { database, time: clock });
      await create(desk, 'notes', { id });
      assert.equal((await note(desk, id))['created_at'], time(written));
      const expected = [{ kind: 'clock-behind', newest: START, behind: START - clock, followed: true }];
      assert.deepEqual(clockObservations(desk), isObserved ? expected : []);
    }
  });

  it('[REP-13] follow the time of a change where that is the newest', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    {
      await using desk = await apiUnderTest(MODEL, { database });
      await create(desk, 'notes', { id: 'a' });
      desk.clock.advance(HOUR);
      await desk.send({ send: 'PATCH /api/v1/notes/a', body: { text: 'x' } });
    }
    await using desk = await apiUnderTest(MODEL, { database });
    await create(desk, 'notes', { id: 'b' });
    assert.equal((await note(desk, 'b'))['created_at'], time(START + HOUR));
  });

  it('[REP-13] do not follow a time that is more than a day ahead, but the newest before that', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    const far = START + 365 * DAY;
    {
      await using desk = await apiUnderTest(MODEL, { database });
      const row = (id: string, at: number): Readonly<Record<string, string>> => ({ id, created_at: time(at) });
      await desk.api.importRows('notes', [row('far', far), row('near', START + DAY)], undefined, { events: false });
    }
    await using desk = await apiUnderTest(MODEL, { database });
    await create(desk, 'notes', { id: 'new' });
    assert.equal((await note(desk, 'new'))['created_at'], time(START + DAY));
    assert.deepEqual(clockObservations(desk), [
      { kind: 'clock-behind', newest: far, behind: far - START, followed: false },
    ]);
  });
});
