import assert from 'node:assert/strict';
import os from 'node:os';
import { describe, it } from 'node:test';
import { availableMemory } from '../../../src/platform/process/available-memory.ts';

describe('the memory that is available', () => {
  it('is that of the container, where it has less than the machine', () => {
    assert.equal(availableMemory(2 ** 29, 2 ** 33), 2 ** 29);
  });

  it('is that of the machine without a limit, and where the limit is greater', () => {
    assert.equal(availableMemory(0, 2 ** 33), 2 ** 33);
    assert.equal(availableMemory(2 ** 63, 2 ** 33), 2 ** 33);
  });

  it('is at most that of this machine', () => {
    assert.ok(availableMemory() > 0 && availableMemory() <= os.totalmem());
  });
});
