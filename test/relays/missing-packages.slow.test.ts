import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { killAll, startServer } from '../cli/server-process.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** The relay of each broker, and what its client consists of. */
const BROKERS = [
  { part: 'a', name: 'NATS', url: "nats: 'nats://h'", packages: ['@nats-io/transport-node', '@nats-io/jetstream'] },
  { part: 'b', name: 'Kafka', url: "kafka: 'kafka://h'", packages: ['@platformatic/kafka'] },
  { part: 'c', name: 'RabbitMQ', url: "rabbitmq: 'amqp://h'", packages: ['rabbitmq-client'] },
  { part: 'd', name: 'Redis', url: "redis: 'redis://h'", packages: ['@redis/client'] },
] as const;

/** Starts a server with a relay, for which a package is not installed. @returns its exit code, and its errors */
async function startWithout(context: TestContext, missing: string, relay: string): Promise<[unknown, string]> {
  const folder = temporaryDirectory(context);
  const resources = 'resources: { products: { schema: { type: object } } }';
  writeFileSync(path.join(folder, 'shop.yaml'), `name: shop\nevents: { relays: [{ ${relay} }] }\n${resources}\n`);
  const hooks = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '${missing}') throw new Error('Cannot find the package');
    return next(specifier, context);
  },
});`;
  writeFileSync(path.join(folder, 'hooks.mjs'), hooks);
  const server = startServer(folder, ['shop.yaml', '--port', '0', '--database', ':memory:'], {
    NODE_OPTIONS: `--import=${path.join(folder, 'hooks.mjs')}`,
  });
  context.after(() => killAll([server]));
  return [await server.exited, server.stderr()];
}

describe('a start with a relay whose client is not installed', () => {
  for (const { part, name, url, packages } of BROKERS)
    for (const missing of packages)
      it(`[EVT-9${part}] ends with the line that installs it: ${missing}, for ${name}`, async (context) => {
        const [code, stderr] = await startWithout(context, missing, url);
        assert.equal(code, 1);
        const install = packages.join(' ');
        assert.ok(stderr.includes(`${name} needs the package ${install}: run \`npm install ${install}\`.`), stderr);
      });
});
