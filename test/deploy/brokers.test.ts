import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../../scripts/command.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';

const BROKERS = ['nats', 'redis', 'rabbitmq', 'kafka'] as const;
const folder = path.join(root, 'examples', 'deploy', 'brokers');

/** A service of a compose file. */
interface ComposeService {
  readonly build?: { readonly context: string; readonly args: { readonly PACKAGES: string } };
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart: string;
  readonly mem_limit: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
}

/** A file, with another text for its password. */
function readCompose(broker: string): ComposeFile {
  const text = readFileSync(path.join(folder, broker, 'compose.yaml'), 'utf8');
  return parse(text.replaceAll('${BROKER_PASSWORD:?}', 's3cret'));
}

function readServices(broker: string): { readonly api: ComposeService; readonly server: ComposeService } {
  const { services } = readCompose(broker);
  assert.deepEqual(Object.keys(services), ['api', broker]);
  const { api = assert.fail(), [broker]: server = assert.fail() } = services;
  return { api, server };
}

describe('the compose files of brokers', () => {
  it('have no finding of the linter', () => {
    const linter = path.join(root, 'node_modules', 'dclint', 'bin', 'dclint.cjs');
    const options = ['--recursive', '--max-warnings', '0', '--disable-rule', 'require-quotes-in-ports'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [linter, folder, ...options], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });

  for (const broker of BROKERS) {
    it(`[EVT-9e] serve a model that relays to the broker: ${broker}`, () => {
      const { api } = readServices(broker);
      const file = path.join(folder, broker, 'shop.yaml');
      const [variable, url] = Object.entries(api.environment ?? {})[0] ?? assert.fail();
      const text = readFileSync(file, 'utf8').replace(`\${${variable}}`, String(url));
      const { model } = loadModel({ text });
      const [relay] = model.events.relays;
      assert.deepEqual(
        [relay?.target.kind, relay?.target.create, new URL(relay?.target.url ?? '').hostname],
        [broker, true, broker],
      );
      // The server in the image listens on all addresses, and needs no option for it.
      assert.notEqual(model.auth, null);
      assert.deepEqual(api.command, ['serve', '/model/shop.yaml']);
      assert.deepEqual(api.volumes, ['./shop.yaml:/model/shop.yaml:ro', 'data:/data']);
      assert.deepEqual(api.ports, ['127.0.0.1:3000:3000']);
    });

    it(`[EVT-9e] build an image with the client of the broker, in the version of the tests: ${broker}`, () => {
      const { api } = readServices(broker);
      const { devDependencies, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
      assert.ok(existsSync(path.join(folder, broker, api.build?.context ?? '', 'Dockerfile')));
      const packages = (api.build?.args.PACKAGES ?? '').split(' ').map((each) => each.split(/(?<=.)@/));
      for (const [name = '', version] of packages) {
        assert.equal(version, devDependencies[name]);
        assert.ok(name in peerDependencies, name);
      }
    });

    it(`keep the data of the broker, check and limit it, and publish no port of it: ${broker}`, () => {
      const { api, server } = readServices(broker);
      const mounted = server.volumes.map((volume) => volume.split(':')[0] ?? '');
      assert.ok(mounted.includes('broker'));
      for (const file of mounted.filter((each) => each.startsWith('./')))
        assert.ok(existsSync(path.join(folder, broker, file)), file);
      assert.equal(server.ports, undefined);
      assert.notEqual(server.healthcheck, undefined);
      for (const { restart, mem_limit: limit } of [api, server]) {
        assert.equal(restart, 'unless-stopped');
        assert.match(limit, /^\d+[mg]$/);
      }
      assert.ok(Object.keys(readCompose(broker).volumes).includes('data'));
    });

    it(`need a password, which no file has: ${broker}`, () => {
      const { api, server } = readServices(broker);
      const text = readFileSync(path.join(folder, broker, 'compose.yaml'), 'utf8');
      assert.ok(text.includes('${BROKER_PASSWORD:?}'));
      for (const service of [api, server])
        assert.ok(JSON.stringify([service.environment, service.command]).includes('s3cret'));
      assert.doesNotMatch(text.replaceAll('${BROKER_PASSWORD:?}', ''), /password: *\w/i);
    });
  }
});
