import assert from 'node:assert/strict';
import { isRequestError, type RequestError } from '../../src/client/client.ts';

/** The error of a call. */
export async function failure(call: Promise<unknown>): Promise<RequestError> {
  const error: unknown = await call.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(isRequestError(error), String(error));
  return error;
}
