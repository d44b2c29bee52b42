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
  it('takes at most 32 MiB where it is bounded, and twice as much where it is not', () => {
    const bounded = young('bounded');
    assert.ok(bounded <= 32, `${bounded} MiB`);
    const unbounded = young('as V8 has it');
    assert.ok(unbounded > 48, `${unbounded} MiB`);
  });
});
