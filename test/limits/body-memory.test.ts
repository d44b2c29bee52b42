import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../src/conventions/errors.ts';
import { BodyMemory, type HeldBytes } from '../../src/limits/body-memory.ts';

const MAX = 100;

/** An event in the life of one of the bodies. */
type Step =
  | { readonly kind: 'open' }
  | { readonly kind: 'hold'; readonly body: number; readonly bytes: number }
  | { readonly kind: 'release'; readonly body: number };

const steps = fc.array(
  fc.oneof(
    fc.constant<Step>({ kind: 'open' }),
    fc.record({ kind: fc.constant('hold' as const), body: fc.nat(2), bytes: fc.nat(120) }),
    fc.record({ kind: fc.constant('release' as const), body: fc.nat(2) }),
  ),
  { maxLength: 60, size: 'max' },
);

/** Runs a step. @returns whether it was refused */
function isRefused(step: () => void): boolean {
  try {
    step();
    return false;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'SERVER_OVERLOADED');
    return true;
  }
}

describe('the memory of bodies', () => {
  it('[LIM-1] is never negative, never above its limit, and empty when all bodies are released', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const memory = new BodyMemory(MAX);
        const bodies: { held: HeldBytes; bytes: number; released: boolean }[] = [];
        for (const step of sequence) {
          const total = bodies.reduce((sum, { bytes }) => sum + bytes, 0);
          const body = step.kind === 'open' ? undefined : bodies[step.body];
          if (step.kind === 'open') {
            const refused = isRefused(() => bodies.push({ held: memory.open(), bytes: 0, released: false }));
            assert.equal(refused, total >= MAX);
          } else if (body !== undefined && step.kind === 'release') {
            body.held.release();
            Object.assign(body, { bytes: 0, released: true });
          } else if (body !== undefined && step.kind === 'hold') {
            const refused = isRefused(() => body.held.hold(step.bytes));
            const exceeds = step.bytes > body.bytes && total - body.bytes + step.bytes > MAX;
            assert.equal(refused, exceeds && !body.released);
            if (!refused && !body.released) body.bytes = step.bytes;
          }
          assert.equal(
            memory.held,
            bodies.reduce((sum, { bytes }) => sum + bytes, 0),
          );
          assert.ok(memory.held >= 0 && memory.held <= MAX);
        }
        for (const { held } of bodies) held.release();
        assert.equal(memory.held, 0);
      }),
    );
  });
});
