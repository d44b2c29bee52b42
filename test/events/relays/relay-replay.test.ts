import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { replayEvents, type ReplayResult } from '../../../src/events/relays/relay-replay.ts';
import { BrokerInMemory, createNotes, relayScene, type RelayScene } from './relay-scene.ts';

const NOTES = `
name: desk
resources:
  notes:
    events: full
    schema: { type: object, required: [text], properties: { text: { type: string } } }
`;

/** Sends the log to a broker. @param attempts after which it gives up */
async function replay(
  { api, store }: RelayScene,
  broker: BrokerInMemory,
  window: { readonly from: number; readonly until?: number },
  attempts = 1,
): Promise<ReplayResult> {
  const [relay] = api.relays.all;
  assert.ok(relay !== undefined);
  const until = window.until ?? (await store.events.lastSequence());
  return replayEvents({
    relay,
    broker,
    events: store.events,
    from: window.from,
    until,
    onProgress: () => undefined,
    waitAfter: (_, failures) => Promise.resolve(failures < attempts),
    isStopped: () => false,
  });
}

describe('a replay of the log', () => {
  it('[EVT-9e] sends the events from a sequence to another one, in order, and moves no position', async () => {
    await using at = await relayScene(NOTES);
    await createNotes(at, 1_100);
    const broker = new BrokerInMemory();
    const result = await replay(at, broker, { from: 3, until: 1_050 });
    assert.deepEqual(result, { position: 1_050, sent: 1_048, problem: null });
    assert.deepEqual(
      broker.sequences,
      Array.from({ length: 1_048 }, (_, index) => index + 3),
    );
    assert.equal(await at.position(), null);
  });

  it('[EVT-9e] sends the types of its relay alone', async () => {
    await using at = await relayScene(NOTES, { types: ['note.deleted'] });
    await createNotes(at, 2);
    const { body } = await at.send('GET', 'notes');
    await at.send('DELETE', `notes/${body.data[0].id}`);
    await createNotes(at, 1);
    const broker = new BrokerInMemory();
    assert.deepEqual(await replay(at, broker, { from: 1 }), { position: 4, sent: 1, problem: null });
    assert.deepEqual(
      broker.stored.map(({ type }) => type),
      ['note.deleted'],
    );
  });

  it('[EVT-9e] ends before the first event that is not acknowledged, with the reason', async () => {
    await using at = await relayScene(NOTES);
    await createNotes(at, 10);
    const broker = new BrokerInMemory();
    broker.room = 4;
    const result = await replay(at, broker, { from: 2 }, 3);
    assert.deepEqual(result, { position: 5, sent: 4, problem: 'the disk is full' });
    assert.deepEqual(broker.calls, [9, 5, 5]);
  });
});
