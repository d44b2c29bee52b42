// The part of `node:assert/strict` that the suite of the client uses, for a page.

type Expected = Error | (new (...given: never[]) => Error);

function show(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (each === undefined ? 'undefined' : each)) ?? String(value);
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(Reflect.get(one, name), Reflect.get(other, name)))
  );
}

function checkExpected(error: unknown, expected: Expected | undefined): void {
  if (expected === undefined) return;
  const isExpected = typeof expected === 'function' ? error instanceof expected : error === expected;
  if (!isExpected) fail(`another error than expected: ${String(error)}`);
}

function fail(message = 'failed'): never {
  throw new Error(message);
}

function ok(value: unknown, message = `${show(value)} is not truthy`): asserts value {
  if (value === undefined || value === null || value === false || value === 0 || value === '') fail(message);
}

const assert = {
  fail,
  ok,
  equal(is: unknown, expected: unknown): void {
    if (!Object.is(is, expected)) fail(`${show(is)} is not ${show(expected)}`);
  },
  deepEqual(is: unknown, expected: unknown): void {
    if (!isEqual(is, expected)) fail(`${show(is)} is not ${show(expected)}`);
  },
  match(text: string, pattern: RegExp): void {
    if (!pattern.test(text)) fail(`${show(text)} does not match ${pattern}`);
  },
  throws(run: () => unknown, expected?: Expected): void {
    let thrown: { readonly error: unknown } | null = null;
    try {
      run();
    } catch (error) {
      thrown = { error };
    }
    if (thrown === null) fail('nothing was thrown');
    checkExpected(thrown.error, expected);
  },
  async rejects(promise: Promise<unknown>, expected?: Expected): Promise<void> {
    const outcome = await promise.then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (outcome === null) fail('the promise was not rejected');
    checkExpected(outcome.error, expected);
  },
};

export default assert;
