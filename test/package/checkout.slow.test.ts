import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Sandbox } from './sandbox.ts';

describe('a clean checkout', () => {
  it('installs with the real npm, with scripts disabled and in production, once for two starts, and runs on its own Node', async () => {
    using sandbox = new Sandbox();
    sandbox.copy('bin', 'scripts', 'package.json', 'package-lock.json', '.npmrc', 'console/package.json');
    sandbox.write('probe.ts', 'const node: string = process.execPath;\nconsole.log(node);\n');
    const env = { npm_config_ignore_scripts: 'true', NODE_ENV: 'production' };
    const start = () => sandbox.run('scripts/run.mjs', ['probe.ts'], env);
    const [first, second] = await Promise.all([start(), start()]);
    const output = first.stderr + second.stderr;
    assert.deepEqual([first.code, second.code], [0, 0], output);
    assert.equal(first.stdout, second.stdout);
    assert.ok(first.stdout.startsWith(sandbox.path('node_modules')), first.stdout);
    assert.equal(output.match(/installing the dependencies/g)?.length, 1, output);
    for (const tool of ['biome', 'oxlint', 'tsc']) assert.ok(existsSync(sandbox.path('node_modules/.bin', tool)), tool);
  });

  it('runs the command right after a clone, on a Node that is too old for it', async () => {
    using sandbox = new Sandbox();
    sandbox.copy('bin', 'scripts', 'src', 'package.json', 'package-lock.json', '.npmrc', 'console/package.json');
    const { code, stdout, stderr } = await sandbox.run('bin/restwright.js', ['-v'], sandbox.pretending('18.19.0'));
    assert.deepEqual([code, stdout], [0, '0.2.0\n'], stderr);
    assert.match(stderr, /^installing the dependencies/);
  });
});
