import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { root } from '../../scripts/command.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { writeTestingExamples } from './testing-examples.ts';

const vitest = path.join(root, '.cache', 'vitest', 'node_modules', 'vitest');

/** Runs a program without the settings of the runner of this test, which would read the results of the other one. */
function runTests(folder: string, args: readonly string[]): SpawnSyncReturns<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
}

describe('the guide to tests of a model', () => {
  it('has tests for node:test that pass', (context) => {
    const folder = temporaryDirectory(context);
    writeTestingExamples(folder);
    const { status, stdout } = runTests(folder, ['--test', '--test-reporter=tap', 'notes.test.mts']);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^# pass 3$/m);
  });

  it('has tests for Vitest that pass', { skip: skipWithoutFile(vitest, 'Vitest is') }, (context) => {
    const folder = temporaryDirectory(context);
    writeTestingExamples(folder);
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(vitest, path.join(folder, 'node_modules', 'vitest'));
    const args = [path.join(vitest, 'vitest.mjs'), 'run', 'notes-vitest', '--reporter=tap'];
    const { status, stdout, stderr } = runTests(folder, args);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.equal(stdout.match(/^ +ok \d/gm)?.length, 2, stdout);
  });
});
