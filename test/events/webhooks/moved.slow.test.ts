import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { verifyWebhook } from '../../../src/client/verify-webhook.ts';
import { recordedTerminal } from '../../cli/recorded-terminal.ts';
import { startPostgres } from '../../postgres-server.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type ReceivedRequest, startReceiver, status } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { retry: [0s, 5s, 5m] }
resources:
  products:
    events: full
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;

const server = await startPostgres();
after(() => server.stop());

const namesOf = (requests: readonly ReceivedRequest[]): readonly unknown[] =>
  requests.map(({ event }) => event.payload.data?.['name']);

describe('webhooks of a database that is moved to PostgreSQL and back', () => {
  it('[EVT-4a] [EVT-5a] [OPS-4b] get each event once, in its order, and those that wait for a repetition; the secrets stay', async (context) => {
    const folder = temporaryDirectory(context);
    const model = path.join(folder, 'shop.yaml');
    writeFileSync(model, MODEL);
    const databases = [
      path.join(folder, 'first.db'),
      server.url(`webhooks_${process.pid}`),
      path.join(folder, 'last.db'),
    ] as const;
    const copy = async (from: string, to: string): Promise<void> => {
      const terminal = recordedTerminal();
      assert.equal(await run(['copy', model, '--from', from, '--to', to], terminal), 0, terminal.written().stderr);
    };
    await using receiver = await startReceiver();
    let secret = '';
    let id = '';
    {
      await using scene = await webhookScene(MODEL, undefined, databases[0]);
      ({ secret, id } = await scene.webhook({ url: receiver.url }));
      await scene.send('POST', 'products', { name: 'a' });
      await until(() => receiver.requests.length === 1);
      receiver.respond = status(500);
      await scene.send('POST', 'products', { name: 'b' });
      await scene.waiting(id, 1, 5_000);
    }
    assert.deepEqual(namesOf(receiver.requests), ['a', 'b']);
    receiver.respond = status(204);
    await copy(databases[0], databases[1]);
    {
      await using scene = await webhookScene(MODEL, undefined, databases[1]);
      await scene.send('POST', 'products', { name: 'c' });
      await until(() => receiver.requests.length === 3);
      scene.clock.advance(6_000);
      await until(() => receiver.requests.length === 4);
      assert.deepEqual(namesOf(receiver.requests), ['a', 'b', 'c', 'b']);
      const { headers, body } = receiver.requests[3] ?? assert.fail();
      await verifyWebhook({ headers, body }, { secret, now: () => scene.clock.now() });
    }
    await copy(databases[1], databases[2]);
    {
      await using scene = await webhookScene(MODEL, undefined, databases[2]);
      await scene.send('POST', 'products', { name: 'd' });
      await until(() => receiver.requests.length === 5);
      const deliveries = await scene.deliveries(id);
      // Their ids have the times of the scenes, which all begin at the same one.
      const inOrder = deliveries.toSorted((one, other) => Number(one.sequence) - Number(other.sequence));
      const attempts = inOrder.slice(0, 3).map((delivery) => delivery.attempts.length);
      assert.deepEqual(attempts, [1, 2, 1], 'those of a, b and c');
    }
    assert.deepEqual(namesOf(receiver.requests), ['a', 'b', 'c', 'b', 'd']);
  });
});
