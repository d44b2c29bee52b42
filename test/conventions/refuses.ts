import assert from 'node:assert/strict';
import { ApiError, type ErrorCode, errors } from '../../src/conventions/errors.ts';

/** Asserts that a call is refused under a code, and gives the refusal for a closer look. */
export function refuses(call: () => unknown, code: ErrorCode): ApiError {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.deepEqual([error.code, error.status], [code, errors[code]]);
    return error;
  }
  return assert.fail(`not refused with ${code}`);
}
