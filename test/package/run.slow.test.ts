import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import process from 'node:process';
import { describe, it } from 'node:test';
import { Checkout, forHere, lockfile } from './fake-checkout.ts';
import { bundleName, type Sandbox } from './sandbox.ts';

describe('scripts/run.mjs', () => {
  it('installs the lockfile, with tools and without scripts, then runs the program', async () => {
    using checkout = new Checkout();
    const { code, stdout, stderr } = await checkout.run(['a b', '']);
    assert.deepEqual([code, stdout], [5, '["a b",""]\n'], "standard output and exit code are the program's");
    assert.match(stderr, /^installing .+\nnpm speaks\n$/);
    assert.match(checkout.calls().join(), /^ci (?=.*--ignore-scripts)(?=.*--include=dev)(?=.*--include=optional)/);
  });

  it('installs once', async () => {
    using checkout = new Checkout();
    await checkout.run();
    const { code, stderr } = await checkout.run();
    assert.deepEqual([code, stderr, checkout.calls().length], [5, '', 1]);
  });

  const changes: readonly (readonly [title: string, change: (sandbox: Sandbox) => void])[] = [
    ['the lockfile has another version', (sandbox) => sandbox.write('package-lock.json', lockfile('2.0.0'))],
    [
      'the lockfile has one package more',
      (sandbox) => sandbox.write('package-lock.json', lockfile('1.0.0', { 'node_modules/x': {} })),
    ],
    ['an install was interrupted', (sandbox) => rmSync(sandbox.path('node_modules/.package-lock.json'))],
    ['the record was half written', (sandbox) => sandbox.write('node_modules/.package-lock.json', '{ "packages": {')],
    [
      'node_modules came from another platform',
      (sandbox) => sandbox.write('package-lock.json', lockfile('1.0.0', { 'node_modules/native': forHere })),
    ],
  ];
  for (const [title, change] of changes) {
    it(`installs again where ${title}`, async () => {
      using checkout = new Checkout();
      await checkout.run();
      change(checkout.sandbox);
      const { code } = await checkout.run();
      assert.deepEqual([code, checkout.calls().length], [5, 2]);
      await checkout.run();
      assert.equal(checkout.calls().length, 2);
    });
  }

  it('installs once where several starts run concurrently', async () => {
    using checkout = new Checkout();
    const endings = await Promise.all(['1', '2', '3'].map((each) => checkout.run([each], { NPM_TAKES: '500' })));
    assert.deepEqual(
      endings.map(({ code, stdout }) => [code, stdout]),
      [
        [5, '["1"]\n'],
        [5, '["2"]\n'],
        [5, '["3"]\n'],
      ],
    );
    assert.equal(checkout.calls().length, 1);
  });

  it('takes over from a start that was killed while it installed', async () => {
    using checkout = new Checkout();
    const { pid } = spawnSync(process.execPath, ['--version']);
    checkout.sandbox.write('.cache/install.lock', String(pid));
    assert.equal((await checkout.run()).code, 5);
  });

  it('exits with the code of npm where npm fails, and the next start retries', async () => {
    using checkout = new Checkout();
    const { code, stdout, stderr } = await checkout.run([], { NPM_FAILS: '3' });
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /npm ci failed.+registry/);
    assert.equal(existsSync(checkout.sandbox.path('.cache/install.lock')), false);
    assert.equal((await checkout.run()).code, 5);
  });

  it('reports a missing npm', async () => {
    using checkout = new Checkout();
    const { code, stderr } = await checkout.run([], { PATH: checkout.sandbox.path('nowhere') });
    assert.equal(code, 1);
    assert.match(stderr, /npm cannot be started \(ENOENT\): install Node\.js with npm/);
  });

  it('stops npm when it is stopped, and installs at the next start', async () => {
    using checkout = new Checkout();
    const running = checkout.start([], { NPM_TAKES: '60000' });
    await running.waitForOutput('npm speaks');
    running.kill('SIGTERM');
    const { code, signal, stdout } = await running.ended;
    assert.deepEqual([code, signal, stdout], [null, 'SIGTERM', '']);
    assert.deepEqual([(await checkout.run()).code, checkout.calls().length], [5, 2]);
  });

  it('prefers the bundled Node to the current one', async () => {
    using checkout = new Checkout();
    const { sandbox } = checkout;
    await checkout.run();
    sandbox.write('program.ts', 'console.log(process.argv0);\n');
    sandbox.bundleNode('26.10.0');
    const { stdout } = await checkout.run();
    assert.match(stdout, new RegExp(`${bundleName}.*node`));
  });

  it('prints one line that names what to install where no Node is recent enough', async () => {
    using checkout = new Checkout();
    await checkout.run();
    const { code, stderr } = await checkout.run([], checkout.sandbox.pretending('20.20.2'));
    assert.equal(code, 2);
    assert.match(stderr, /^restwright needs Node\.js 24 or later \(this is 20\.20\.2\): .+\n$/);
  });

  it('requires a program', async () => {
    using checkout = new Checkout();
    const { code, stderr } = await checkout.sandbox.run('scripts/run.mjs');
    assert.deepEqual([code, stderr], [2, 'usage: node scripts/run.mjs PROGRAM [arguments]\n']);
  });
});
