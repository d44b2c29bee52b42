import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../scripts/command.ts';
import { readRows } from './guides/guide-pages.ts';

const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

describe('the page on security', () => {
  const rows = readRows(page, '## The ten risks');

  it('has each of the ten risks, in their order', () => {
    assert.deepEqual(
      rows.map(([risk = '']) => risk.split(' ')[0]),
      Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
    );
  });

  for (const [risk = '', , , tests = ''] of rows)
    it(`names tests that exist, of clauses: ${risk}`, () => {
      const files = [...tests.matchAll(/\(\.\.\/(test\/[^)]+\.test\.ts)\)/g)].map(([, file = '']) => file);
      assert.notDeepEqual(files, []);
      for (const file of files) assert.ok(existsSync(path.join(root, file)), file);
      assert.ok(files.some((file) => /\[[A-Z]+-\d+[a-z]?\]/.test(readFileSync(path.join(root, file), 'utf8'))));
    });
});
