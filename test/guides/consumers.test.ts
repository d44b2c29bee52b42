import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { readBlocks, readPage } from './guide-pages.ts';

const BROKERS = ['nats', 'redis', 'rabbitmq', 'kafka'] as const;
const LANGUAGES = { js: 'mjs', python: 'py', go: 'go' } as const;

const URLS: Readonly<Record<string, string>> = {
  NATS_URL: 'nats://127.0.0.1:4222',
  REDIS_URL: 'redis://127.0.0.1:6379',
  RABBITMQ_URL: 'amqp://127.0.0.1:5672',
  KAFKA_URL: 'kafka://127.0.0.1:9092',
};

for (const broker of BROKERS)
  describe(`the guide to consumers of a broker: ${broker}`, () => {
    const guide = readPage(`docs/guides/brokers-${broker}.md`);

    for (const [language, end] of Object.entries(LANGUAGES))
      it(`[EVT-9e] shows the program that the tests run: ${language}`, () => {
        assert.deepEqual(readBlocks(guide, language), [readPage(`examples/consumers/${broker}/consumer.${end}`)]);
      });

    it('[EVT-9e] shows a model that relays to the broker, with the names that the programs have', () => {
      const [model = ''] = readBlocks(guide, 'yaml');
      const text = model.replace(/\$\{(\w+)\}/, (_reference, name: string) => URLS[name] ?? '');
      const [relay] = loadModel({ text }).model.events.relays;
      const program = readPage(`examples/consumers/${broker}/consumer.mjs`);
      const { kind, stream, destination } = relay?.target ?? assert.fail('no relay');
      const [first] = destination;
      assert.equal(kind, broker);
      assert.ok(program.includes(`'${stream ?? (typeof first === 'string' ? first : '')}'`), program);
    });

    it('is linked from the guide to brokers', () => {
      assert.ok(readPage('docs/guides/brokers.md').includes(`(brokers-${broker}.md)`));
    });
  });

it('the versions of the clients in Python are pinned', () => {
  const pinned = readPage('examples/consumers/requirements.txt').trim().split('\n');
  const installed = BROKERS.flatMap((broker) =>
    [...readPage(`docs/guides/brokers-${broker}.md`).matchAll(/^pip install (.*)$/gm)].map(([, name = '']) => name),
  );
  assert.deepEqual(
    pinned.map((line) => line.replace(/==[\d.]+$/, '')),
    installed.toSorted(),
  );
});
