import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { programFile, skipWithout } from './installed-programs.ts';

describe('a test that needs a program', () => {
  let before: { readonly ci: string | undefined; readonly folders: string | undefined };
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  beforeEach(() => {
    before = { ci: process.env['CI'], folders: process.env['PATH'] };
    set('PATH', path.dirname(process.execPath));
    set('CI', undefined);
  });
  afterEach(() => {
    set('CI', before.ci);
    set('PATH', before.folders);
  });

  it('runs where it is installed', () => {
    assert.equal(programFile(path.basename(process.execPath)), process.execPath);
    assert.equal(skipWithout(path.basename(process.execPath)), false);
  });

  it('is skipped with a message where it is not installed, and fails in CI', (test) => {
    const written = test.mock.method(process.stderr, 'write', () => true);
    assert.equal(skipWithout('no-such-program'), 'no-such-program is not installed');
    assert.match(String(written.mock.calls[0]?.arguments[0]), /^NOT TESTED: no-such-program is not installed/);
    set('CI', 'true');
    assert.throws(() => skipWithout('node', 'no-such-program'), /no-such-program is not installed/);
  });
});
