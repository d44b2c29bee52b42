import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startReceiver, status } from './receiver.ts';
import { START, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { retry: [0s, 1h], max_per_owner: 3, keep_deliveries: 2h }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

const WINDOW = { from: new Date(START - 1_000).toISOString(), to: new Date(START + 1_000).toISOString() };

describe('the bounds of replays', () => {
  it('[EVT-4e] are 10,000 events of a replay: more is 400 with the window that fits', async () => {
    await using receiver = await startReceiver(status(204));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['note.deleted'] });
    const type = { 'content-type': 'application/x-ndjson' };
    for (let part = 0; part < 3; part += 1) {
      const lines = Array.from({ length: 4_000 }, (_, index) => JSON.stringify({ id: `${part}-${index}`, text: 'x' }));
      const sent = await scene.send('POST', 'notes', lines.join('\n'), type);
      assert.equal(sent.status, 200);
      scene.clock.advance(60_000);
    }
    const from = WINDOW.from;
    const to = new Date(START + 3_600_000).toISOString();
    const refused = await scene.send('POST', `webhooks/${id}/replays`, { from, to });
    assert.deepEqual([refused.status, refused.body.errorCode], [400, 'WEBHOOK_INVALID'], refused.text);
    const fits = /to (\S+Z) fits/.exec(refused.body.errorMessage)?.[1] ?? '';
    assert.equal(fits, new Date(START + 119_999).toISOString());
    const made = await scene.send('POST', `webhooks/${id}/replays`, { from, to: fits });
    assert.deepEqual([made.status, made.body.last - made.body.after], [201, 8_000], made.text);
  });
});
