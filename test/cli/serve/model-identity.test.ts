import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identifyModel } from '../../../src/cli/serve/model-identity.ts';
import { load } from '../../model/loading.ts';

/** The identity of a model with these members of `events`. */
function identify(events: string): string {
  const text = `name: shop\nevents: { ${events} }\nresources: { items: { schema: { type: object } } }\n`;
  return identifyModel(load(text).model);
}

describe('the identity of a served model', () => {
  it('[EVT-9e] differs for other relays, so that a changed relay is served after a reload', () => {
    const relays = ['', 'relays: [{ nats: "nats://a" }]', 'relays: [{ nats: "nats://b" }]', 'hold: 60d'];
    assert.equal(new Set(relays.map(identify)).size, relays.length);
    assert.equal(identify('hold: 60d'), identify('hold: 60d'));
  });
});
