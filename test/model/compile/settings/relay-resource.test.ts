import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems, load } from '../../loading.ts';

const document = (resources: string, more = ''): string =>
  `name: shop\n${more}events: { relays: [{ name: shop, nats: 'nats://127.0.0.1:4222' }] }\nresources:\n  ${resources}: { schema: { type: object } }\n`;

describe('the collection of relays', () => {
  it('[EVT-9e] exists where the model has relays, and only callers with relays:read may read it', () => {
    const auth = 'auth: { api_keys: true }\n';
    const { model } = load(document('items', auth));
    const relays = model.resources.get('relays') ?? assert.fail('no relays');
    assert.equal(model.relays, 'relays');
    assert.deepEqual(
      [relays.readOnly, relays.events, relays.singular, relays.access.read],
      [true, 'none', 'relay', { kind: 'scope', scope: 'relays:read' }],
    );
    const without = load('name: shop\nresources: { items: { schema: { type: object } } }\n').model;
    assert.deepEqual([without.relays, without.resources.has('relays')], [null, false]);
  });

  it('[EVT-9e] has another name if system sets one', () => {
    const { model } = load(document('relays', 'system: { relays: broker-relays }\n'));
    assert.equal(model.relays, 'broker_relays');
    assert.equal(model.resources.get('broker_relays')?.collection, 'broker-relays');
    assert.equal(model.resources.get('relays')?.readOnly, false);
  });

  it('[EVT-9e] [REP-12] reserves its name, with and without relays', () => {
    const [clash] = listProblems(document('relays'));
    assert.match(clash?.cause ?? '', /relays is the collection of relays/);
    const [reserved] = listProblems('name: shop\nresources: { relays: { schema: { type: object } } }\n');
    assert.match(reserved?.cause ?? '', /the collection relays is reserved/);
  });
});
