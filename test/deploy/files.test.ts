import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { root } from '../../scripts/command.ts';
import { programFile, skipWithout } from '../installed-programs.ts';
import { replaced } from '../replaced.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const file = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** Seconds of a graceful shutdown (LIM-3). */
const SHUTDOWN = 25;

interface Workload {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsUser: number };
        readonly containers: readonly Container[];
      };
    };
    readonly volumeClaimTemplates: readonly { readonly spec: { readonly accessModes: readonly string[] } }[];
  };
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

function workload(): Workload {
  const documents = parseAllDocuments(file('examples/deploy/kubernetes.yaml')).map((each): Workload => each.toJS());
  return documents.find(({ kind }) => kind === 'StatefulSet') ?? assert.fail('no StatefulSet');
}

describe('the deployment on Kubernetes', () => {
  const { spec } = workload();
  const pod = spec.template.spec;
  const [container = assert.fail('no container')] = pod.containers;

  it('[LIM-3] has time for a graceful shutdown after proxies stopped sending', () => {
    const [, pause] = container.lifecycle.preStop.exec.command;
    assert.ok(pod.terminationGracePeriodSeconds > Number(pause) + SHUTDOWN);
  });

  it('[OPS-2a] asks the routes for probes, on the port of the API', () => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = container;
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    assert.deepEqual(
      asked.map((each) => each.path),
      ['/livez', '/livez', '/readyz'],
    );
    const port = ports.find(({ name }) => name === asked[0]?.port)?.containerPort;
    assert.ok(file('Dockerfile').includes(`RESTWRIGHT_PORT=${port}`));
  });

  it('[OPS-2b] serves metrics on a port of their own', () => {
    const [port] = container.env.filter(({ name }) => name === 'RESTWRIGHT_METRICS_PORT');
    assert.ok(container.ports.some(({ containerPort }) => String(containerPort) === port?.value));
    for (const { name } of container.env) assert.ok(file('src/cli/settings.ts').includes(`'${name}'`), name);
  });

  it('[OPS-4a] gives one pod the volume of the image, with its user', () => {
    assert.equal(spec.replicas, 1);
    assert.deepEqual(spec.volumeClaimTemplates[0]?.spec.accessModes, ['ReadWriteOncePod']);
    const mounted = container.volumeMounts.find(({ name }) => name === 'data')?.mountPath;
    assert.match(file('Dockerfile'), new RegExp(`^VOLUME ${mounted}$`, 'm'));
    // `node`, the user of the image.
    assert.equal(pod.securityContext.runAsUser, 1_000);
  });
});

describe('the unit of systemd', { skip: skipWithout('systemd-analyze') }, () => {
  const analyze = (...args: readonly string[]): string =>
    execFileSync(programFile('systemd-analyze') ?? '', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  it('[LIM-3] is valid, exposes little, and has time for a graceful shutdown', (t) => {
    const folder = temporaryDirectory(t);
    const command = path.join(folder, 'node_modules', '.bin', 'restwright');
    mkdirSync(path.dirname(command), { recursive: true });
    writeFileSync(command, '#!/bin/sh\n');
    chmodSync(command, 0o755);
    const unit = replaced(file('examples/deploy/restwright.service'), [
      ['WorkingDirectory=/opt/shop', `WorkingDirectory=${folder}`],
      ['ExecStart=/opt/shop/node_modules/.bin/restwright', `ExecStart=${command}`],
    ]);
    const written = path.join(folder, 'shop.service');
    writeFileSync(written, unit);
    assert.equal(analyze('verify', written), '');
    // The exposure, at most 100; a unit without protection has 96.
    assert.match(analyze('security', '--offline=true', '--threshold=20', written), /OK/);
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > SHUTDOWN);
  });
});
