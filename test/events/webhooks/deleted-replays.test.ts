import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startReceiver } from './receiver.ts';
import { START, until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { timeout: 10s, retry: [0s, 5s, 5s] }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

describe('a webhook that is deleted', () => {
  for (const [title, respond] of [
    [
      'fails',
      (_request: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(500).end(),
    ],
    ['hangs', () => undefined],
  ] as const)
    it(`[EVT-4e] with a pending replay logs no error while its receiver ${title}`, async () => {
      await using receiver = await startReceiver(respond);
      await using scene = await webhookScene(MODEL);
      const { id } = await scene.webhook({ url: receiver.url });
      for (let index = 0; index < 5; index += 1) await scene.send('PUT', `notes/${index}`, { text: 'x' });
      const window = { from: new Date(START - 1_000).toISOString(), to: new Date(START + 1_000).toISOString() };
      const replay = await scene.send('POST', `webhooks/${id}/replays`, window);
      assert.equal(replay.status, 201, replay.text);
      await until(() => receiver.requests.length > 1);
      const deleted = await scene.send('DELETE', `webhooks/${id}`);
      assert.equal(deleted.status, 204, deleted.text);
      // Several runs of each loop, before and after the retries would be due.
      for (let run = 0; run < 6; run += 1) {
        scene.clock.advance(3_000);
        await setTimeout(120);
      }
      assert.deepEqual(
        scene.observations.flatMap((each) => (each.kind === 'error' ? [String(each.error)] : [])),
        [],
      );
    });
});
