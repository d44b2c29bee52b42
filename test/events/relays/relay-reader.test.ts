import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until, untilEqual } from '../dispatch-scene.ts';
import { BrokerInMemory, createNotes, relayScene } from './relay-scene.ts';

const NOTES = `
name: desk
resources:
  notes:
    events: full
    schema: { type: object, required: [text], properties: { text: { type: string }, secret: { type: string, writeOnly: true } } }
  drafts:
    events: none
    schema: { type: object, properties: { text: { type: string } } }
`;

/** @returns the integers from 1 */
function integers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('a relay', () => {
  it('[EVT-9e] sends each event since it began, in order, and moves its position after the acknowledgement', async () => {
    await using at = await relayScene(NOTES);
    await createNotes(at, 2);
    const broker = new BrokerInMemory();
    await at.start(broker);
    await untilEqual(at.position, 2);
    await createNotes(at, 40);
    await until(() => broker.stored.length === 40);
    assert.deepEqual(broker.sequences, integers(42).slice(2));
    await untilEqual(at.position, 42);
  });

  it('[EVT-9e] sends the envelope of the feed, and neither what is write-only nor events of `events: none`', async () => {
    await using at = await relayScene(NOTES);
    const broker = new BrokerInMemory();
    await at.start(broker);
    await untilEqual(at.position, 0);
    await at.send('POST', 'drafts', { text: 'no event' });
    await at.send('POST', 'notes', { text: 'a', secret: 'hidden' });
    await until(() => broker.stored.length === 1);
    const [message] = broker.stored;
    const { body: page } = await at.send('GET', 'events');
    assert.deepEqual(JSON.parse(message?.body ?? ''), page.data[0]);
    assert.doesNotMatch(message?.body ?? '', /hidden/);
    const { id } = page.data[0].payload.resource;
    assert.deepEqual(
      [message?.id, message?.type, message?.destination, message?.key, message?.contentType],
      [page.data[0].id, 'note.created', 'shop.note.created', `note/${id}`, 'application/json; charset=utf-8'],
    );
    assert.match(message?.traceparent ?? '', new RegExp(`^00-${page.data[0].metadata.trace_id}-`));
  });

  it('[EVT-9e] goes on with the first event that was not acknowledged, and says that the broker fails and is back', async () => {
    await using at = await relayScene(NOTES);
    const broker = new BrokerInMemory();
    broker.room = 3;
    await at.start(broker);
    await untilEqual(at.position, 0);
    await createNotes(at, 10);
    await until(() => at.observations.some(({ kind }) => kind === 'relay-failed'));
    await untilEqual(at.position, 3);
    broker.room = null;
    await until(() => broker.stored.length === 10);
    assert.deepEqual(broker.sequences, integers(10));
    const seen = at.observations.filter(({ kind }) => kind.startsWith('relay-'));
    assert.deepEqual(seen, [
      { kind: 'relay-failed', relay: 'shop', problem: 'the disk is full' },
      { kind: 'relay-resumed', relay: 'shop' },
    ]);
  });

  it('[EVT-9e] selects by types and by a filter on the data; the position passes the other events', async () => {
    await using at = await relayScene(NOTES, { types: ['note.created'], filter: { text: 'keep 1' } });
    const broker = new BrokerInMemory();
    await at.start(broker);
    await untilEqual(at.position, 0);
    await createNotes(at, 3, 'keep');
    const { body } = await at.send('POST', 'notes', { text: 'other' });
    await at.send('DELETE', `notes/${body.id}`);
    await untilEqual(at.position, 5);
    assert.deepEqual(broker.sequences, [2]);
  });

  it('[EVT-9e] sends CloudEvents in the structured mode', async () => {
    await using at = await relayScene(NOTES, { format: 'cloudevents' });
    const broker = new BrokerInMemory();
    await at.start(broker);
    await untilEqual(at.position, 0);
    await createNotes(at, 1);
    await until(() => broker.stored.length === 1);
    const [message] = broker.stored;
    assert.equal(message?.contentType, 'application/cloudevents+json; charset=utf-8');
    const { specversion, id, type, source, sequence } = JSON.parse(message?.body ?? '');
    assert.deepEqual(
      [specversion, id, type, source, sequence],
      ['1.0', message?.id, 'desk.note.created', 'https://api.example.com/api', '0'.repeat(19) + '1'],
    );
  });

  it('[EVT-9e] is held by one process at a time; the next one repeats what was in flight, with the same ids', async () => {
    await using at = await relayScene(NOTES);
    const frozen = new BrokerInMemory();
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    await at.start(frozen);
    await untilEqual(at.position, 0);
    frozen.before = () => thawed;
    await createNotes(at, 5);
    await until(() => frozen.stored.length > 0);
    const other = new BrokerInMemory();
    await at.start(other);
    await createNotes(at, 1);
    assert.deepEqual(other.calls, [], 'the lease is in force');
    at.clock.advance(60_000);
    await until(() => other.stored.length === 6);
    // PostgreSQL leaves out numbers of a transaction that is tried again, such as one that shared it with a lost lease.
    const logged = async () => (await at.store.events.list({ after: 0, limit: 99 })).map(({ sequence }) => sequence);
    const six = await logged();
    await untilEqual(at.position, six.at(-1));
    thaw();
    await createNotes(at, 3);
    await until(() => new Set([...frozen.sequences, ...other.sequences]).size === 9);
    await untilEqual(at.position, (await logged()).at(-1));
    const [first] = frozen.stored;
    assert.equal(other.stored[0]?.id, first?.id);
    assert.deepEqual(other.sequences.slice(0, 6), six, 'nothing is missing');
  });

  it('[EVT-9e] shows its position, its lag and its last error in `/relays`, without credentials', async () => {
    await using at = await relayScene(NOTES, { nats: 'nats://user:s3cret@127.0.0.1:4222' });
    const broker = new BrokerInMemory();
    broker.room = 2;
    await at.start(broker);
    await untilEqual(at.position, 0);
    await createNotes(at, 5);
    const show = async (): Promise<unknown> => {
      const { body } = await at.send('GET', 'relays/shop');
      return [body.position, body.lag, body.state, body.last_error, body.broker, body.address, body.destination];
    };
    const where = ['nats', '127.0.0.1:4222', 'shop.{type}'];
    await untilEqual(show, ['0'.repeat(19) + '2', 3, 'failing', 'the disk is full', ...where]);
    broker.room = null;
    await untilEqual(show, ['0'.repeat(19) + '5', 0, 'running', 'the disk is full', ...where]);
    const { text } = await at.send('GET', 'relays');
    assert.doesNotMatch(text, /s3cret/);
    const refused = await at.send('DELETE', 'relays/shop');
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  });

  it('[EVT-9e] stores its position when it stops, and closes the connection', async () => {
    await using at = await relayScene(NOTES);
    const broker = new BrokerInMemory();
    const dispatch = await at.start(broker);
    await untilEqual(at.position, 0);
    await createNotes(at, 3);
    await until(() => broker.stored.length === 3);
    await dispatch.stop();
    assert.equal(await at.position(), 3);
    assert.ok(broker.isClosed);
    assert.equal((await at.store.deliveries.reader('relay:shop'))?.lease.until, 0);
  });
});
