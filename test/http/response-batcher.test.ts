import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ResponseBatcher } from '../../src/http/response-batcher.ts';

describe('ResponseBatcher', () => {
  let now: number;
  let atEnd: (() => void)[];
  let left: string[];
  let batcher: ResponseBatcher;
  const ready = (name: string): void => batcher.send(() => left.push(name));
  const endTick = (): void => {
    for (const run of atEnd.splice(0)) run();
  };

  beforeEach(() => {
    now = 500;
    atEnd = [];
    left = [];
    batcher = new ResponseBatcher({ now: () => now, schedule: (run) => atEnd.push(run) });
  });

  it('sends responses together, in the order in which they became ready', () => {
    ready('first');
    ready('second');
    assert.deepEqual(left, []);
    endTick();
    assert.deepEqual(left, ['first', 'second']);
  });

  it('sends each response once', () => {
    ready('first');
    endTick();
    ready('second');
    endTick();
    endTick();
    assert.deepEqual(left, ['first', 'second']);
  });

  it('delays a response by at most a millisecond for later ones', () => {
    ready('first');
    now += 0.9;
    ready('second');
    assert.deepEqual(left, []);
    now += 0.2;
    ready('third');
    assert.deepEqual(left, ['first', 'second']);
    endTick();
    assert.deepEqual(left, ['first', 'second', 'third']);
  });

  it('does not send a late response while its request is still being parsed', () => {
    ready('first');
    now += 5;
    ready('second');
    assert.deepEqual(left, ['first']);
  });

  it('starts a new batch after a flush within the tick', () => {
    ready('first');
    now += 5;
    ready('second');
    now += 0.5;
    ready('third');
    assert.deepEqual(left, ['first']);
    endTick();
    assert.deepEqual(left, ['first', 'second', 'third']);
  });

  it('batches responses that become ready during a flush for the next tick', () => {
    batcher.send(() => {
      left.push('first');
      ready('second');
    });
    endTick();
    assert.deepEqual(left, ['first']);
    endTick();
    assert.deepEqual(left, ['first', 'second']);
  });
});
