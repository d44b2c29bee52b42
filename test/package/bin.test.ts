import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import process from 'node:process';
import { describe, it } from 'node:test';
import { Checkout } from './fake-checkout.ts';
import { Sandbox } from './sandbox.ts';

const echo = (place: string) =>
  `export async function main(args) { console.log(JSON.stringify(['${place}', process.versions.node, ...args])); process.exitCode = 7; }\n`;

const waits = `export async function main() {
  process.on('SIGTERM', () => { console.log('finished'); process.exit(0); });
  setInterval(() => {}, 1000);
  console.log('waiting');
}\n`;

const here = process.versions.node;

/** A folder with the command and a program that it starts. */
function installed(program: string, content: string): Sandbox {
  const sandbox = new Sandbox();
  sandbox.copy('bin');
  sandbox.write('package.json', '{ "type": "module" }');
  sandbox.write(program, content);
  return sandbox;
}

describe('bin/restwright.js', () => {
  it('runs the sources in a checkout and forwards arguments and exit code', async () => {
    using sandbox = installed('src/cli/main.ts', `const typed: string = 'x';\n${echo('sources')}`);
    const { code, stdout } = await sandbox.run('bin/restwright.js', ['serve', 'a b.yaml']);
    assert.deepEqual([code, JSON.parse(stdout)], [7, ['sources', here, 'serve', 'a b.yaml']]);
  });

  it('runs the build of a published package, through the link in .bin', async () => {
    using sandbox = new Sandbox();
    sandbox.copy('bin');
    sandbox.write('node_modules/restwright/package.json', '{ "type": "module" }');
    sandbox.write('node_modules/restwright/dist/main.js', echo('built'));
    renameSync(sandbox.path('bin'), sandbox.path('node_modules/restwright/bin'));
    mkdirSync(sandbox.path('node_modules/.bin'));
    symlinkSync('../restwright/bin/restwright.js', sandbox.path('node_modules/.bin/restwright'));
    const { code, stdout } = await sandbox.run('node_modules/.bin/restwright', ['check']);
    assert.deepEqual([code, JSON.parse(stdout)], [7, ['built', here, 'check']]);
  });

  it('restarts on the bundled Node where the current one is too old', async () => {
    using sandbox = installed('dist/main.js', echo('built'));
    sandbox.bundleNode('26.10.0');
    const { code, stdout, stderr } = await sandbox.run('bin/restwright.js', ['a b', ''], sandbox.pretending('20.20.2'));
    assert.deepEqual([code, JSON.parse(stdout), stderr], [7, ['built', here, 'a b', ''], '']);
  });

  it('forwards signals to the program on the bundled Node and exits with its code', async () => {
    using sandbox = installed('dist/main.js', waits);
    sandbox.bundleNode('26.10.0');
    const running = sandbox.start('bin/restwright.js', [], sandbox.pretending('20.20.2'));
    await running.waitForOutput('waiting');
    running.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    assert.deepEqual([code, stdout], [0, 'waiting\nfinished\n']);
  });

  it('exits by the signal that ended the program on the bundled Node', async () => {
    using sandbox = installed('dist/main.js', "export const main = () => process.kill(process.pid, 'SIGKILL');\n");
    sandbox.bundleNode('26.10.0');
    const { signal } = await sandbox.run('bin/restwright.js', [], sandbox.pretending('20.20.2'));
    assert.equal(signal, 'SIGKILL');
  });

  for (const [title, versions] of [
    ['is none', []],
    ['is as old', ['20.1.0']],
  ] as const) {
    it(`prints one line that names what to install where the bundled Node ${title}`, async () => {
      using sandbox = installed('dist/main.js', echo('built'));
      for (const version of versions) sandbox.bundleNode(version);
      const ended = await sandbox.run('bin/restwright.js', ['serve', 'my model.yaml'], sandbox.pretending('18.0.0'));
      assert.deepEqual([ended.code, ended.stdout], [2, '']);
      assert.match(ended.stderr, /^restwright needs Node\.js 24 or later \(this is 18\.0\.0\): .+nodejs\.org.*\n$/);
      assert.match(
        ended.stderr,
        /npx -y -p node\S+@26 node \S*"?\S*restwright test-.+restwright\.js"? serve "my model\.yaml"/,
      );
    });
  }

  it('installs the dependencies of a clone once, and continues on the Node that they bring', async () => {
    using checkout = new Checkout();
    const { sandbox } = checkout;
    sandbox.write('src/cli/main.ts', `const typed: string = 'x';\n${echo('sources')}`);
    const start = () =>
      checkout.startFile('bin/restwright.js', ['serve', 'a b.yaml'], {
        ...sandbox.pretending('18.0.0'),
        NPM_BUNDLES: '26.10.0',
      }).ended;
    const first = await start();
    assert.deepEqual([first.code, JSON.parse(first.stdout)], [7, ['sources', here, 'serve', 'a b.yaml']]);
    assert.match(first.stderr, /^installing .+\nnpm speaks\n$/);
    const second = await start();
    assert.deepEqual([second.code, second.stdout, second.stderr], [7, first.stdout, '']);
    assert.equal(checkout.calls().length, 1);
  });

  it('runs nothing where a clone cannot be installed, and exits with the code of npm', async () => {
    using checkout = new Checkout();
    checkout.sandbox.write('src/cli/main.ts', echo('sources'));
    const { code, stdout, stderr } = await checkout.startFile('bin/restwright.js', [], { NPM_FAILS: '3' }).ended;
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /npm ci failed.+registry/);
  });

  it('prints the error of a program that cannot be loaded, and fails', async () => {
    using sandbox = installed('dist/main.js', "import './missing.js';\n");
    const { code, stderr } = await sandbox.run('bin/restwright.js');
    assert.equal(code, 1);
    assert.match(stderr, /missing\.js/);
  });
});
