import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type Lockfile, missingPlatforms } from '../../scripts/lock.ts';
import { root } from './sandbox.ts';

const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
const lockfile: Lockfile = JSON.parse(text);

describe('package-lock.json', () => {
  it('names no registry: every machine uses its own', () => {
    // A workspace is a link to its folder.
    const installed = Object.entries(lockfile.packages).filter(([, each]) => each['link'] !== true);
    const resolved = installed.filter(([, each]) => each.resolved !== undefined);
    assert.deepEqual(resolved, []);
    const urls = text.match(/"[a-z+]+:\/\/[^"]+"/g) ?? [];
    const funding = Object.values(lockfile.packages).flatMap(
      (each) => JSON.stringify(each['funding'] ?? '').match(/"https?:[^"]+"/g) ?? [],
    );
    assert.deepEqual(new Set(urls).difference(new Set(funding)), new Set(), 'only who to fund is a URL');
  });

  it('lists the packages of every platform, so that `npm ci` accepts it on each', () => {
    assert.deepEqual(Object.keys(missingPlatforms(lockfile)), [], 'run node scripts/run.mjs scripts/lock.ts');
  });
});

describe('packages that a lockfile lacks', () => {
  const parent = (name: string, version: string) => ({
    packages: { 'node_modules/tool': { dev: true, optionalDependencies: { [name]: version } } },
  });

  for (const [name, os, cpu, libc] of [
    ['@tool/darwin-arm64', ['darwin'], ['arm64'], undefined],
    ['@tool/binding-win32-x64-msvc', ['win32'], ['x64'], undefined],
    ['@tool/binding-linux-x64-gnu', ['linux'], ['x64'], ['glibc']],
    ['@tool/binding-linux-arm-musleabihf', ['linux'], ['arm'], ['musl']],
  ] as const) {
    it(`include ${name} on its platform only`, () => {
      const expected = {
        version: '1.2.3',
        cpu,
        dev: true,
        ...(libc === undefined ? {} : { libc }),
        optional: true,
        os,
      };
      assert.deepEqual(missingPlatforms(parent(name, '1.2.3')), { [`node_modules/${name}`]: expected });
    });
  }

  it('exclude those that it lists already, in any version', () => {
    const { packages } = parent('@tool/darwin-x64', '1.2.3');
    assert.deepEqual(missingPlatforms({ packages: { ...packages, 'node_modules/@tool/darwin-x64': {} } }), {});
  });

  it('are not guessed where a range has several versions', () => {
    assert.throws(() => missingPlatforms(parent('@tool/darwin-x64', '^1.2.3')), /not a single version/);
  });
});
