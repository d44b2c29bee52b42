import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';

function young(how: 'bounded' | 'as V8 has it'): number {
  const script = path.join(import.meta.dirname, 'young-generation.ts');
  return Number(execFileSync(process.execPath, [script, how], { encoding: 'utf8', env: {} }));
}

describe('a young generation of which much stays for a while', () => {
  it('does not double beyond 16 MiB where it is bounded, and takes several times as much where it is not', () => {
    const bounded = young('bounded');
    assert.ok(bounded < 24, `${bounded} MiB`);
    const unbounded = young('as V8 has it');
    assert.ok(unbounded > 48, `${unbounded} MiB`);
  });
});
