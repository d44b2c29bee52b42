import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type DescriptionForm, Descriptions } from '../../../src/operations/read/descriptions.ts';
import { digest } from '../../../src/platform/digest.ts';
import { manyTables } from '../../stores/many-tables.ts';

/** Descriptions by a clock that each look at it advances by a millisecond: ten steps are a slice. */
function createDescriptions(resources: number): Descriptions {
  let time = 0;
  return new Descriptions(manyTables(resources), digest, () => (time += 1));
}

/** The iterations of the event loop until a description is made. */
async function iterations(descriptions: Descriptions, form: DescriptionForm): Promise<number> {
  const state = { isMade: false };
  const pending = Promise.resolve(descriptions.find('1.0.0', form)).then(() => (state.isMade = true));
  let count = 0;
  for (; !state.isMade; count += 1) await setImmediate();
  await pending;
  return count;
}

const FORMS: readonly DescriptionForm[] = ['3.1', '3.2', 'asyncapi', 'docs'];

describe('descriptions of a large model', () => {
  it('[OPS-1d] are made in slices of ten steps, at least one step for each resource', async () => {
    for (const form of FORMS) {
      const count = await iterations(createDescriptions(40), form);
      assert.ok(count >= 4, `${form} took ${count} iterations of the event loop`);
    }
  });

  it('[OPS-1d] are the same whether slices interrupt them or not', async () => {
    for (const form of FORMS) {
      const whole = new Descriptions(manyTables(30), digest, () => 0).find('1.0.0', form);
      assert.ok(!(whole instanceof Promise));
      const divided = await createDescriptions(30).find('1.0.0', form);
      assert.equal(divided.digest, whole.digest);
    }
  });

  it('[OPS-1d] are made once for requests that come meanwhile, and again after the cache was cleared', async () => {
    const descriptions = createDescriptions(30);
    const [first, second] = [descriptions.find('1.0.0', '3.1'), descriptions.find('1.0.0', '3.1')];
    assert.ok(first instanceof Promise);
    assert.equal(first, second);
    const made = await first;
    assert.equal(descriptions.find('1.0.0', '3.1'), made);
    descriptions.clear();
    const again = await descriptions.find('1.0.0', '3.1');
    assert.notEqual(again, made);
    assert.equal(again.digest, made.digest);
  });

  it('fail for a version that is not served, each time', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1)
      await assert.rejects(async () => createDescriptions(1).find('9.0.0', '3.1'), /9\.0\.0 is not described/);
  });
});
