import assert from 'node:assert/strict';
import { ApiError, type ErrorCode, errors } from '../../src/conventions/errors.ts';

/** Asserts that a call throws an ApiError with a code, and returns the error. */
export function throwsApiError(call: () => unknown, code: ErrorCode): ApiError {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.deepEqual([error.code, error.status], [code, errors[code]]);
    return error;
  }
  return assert.fail(`did not throw ${code}`);
}
