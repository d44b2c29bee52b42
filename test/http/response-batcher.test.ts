import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ResponseBatcher } from '../../src/http/response-batcher.ts';

describe('answers that are ready', () => {
  let now: number;
  let atEnd: (() => void)[];
  let left: string[];
  let departures: ResponseBatcher;
  const ready = (name: string): void => departures.send(() => left.push(name));
  const endTurn = (): void => {
    for (const run of atEnd.splice(0)) run();
  };

  beforeEach(() => {
    now = 500;
    atEnd = [];
    left = [];
    departures = new ResponseBatcher({ now: () => now, schedule: (run) => atEnd.push(run) });
  });

  it('leave together, in the order in which they became ready', () => {
    ready('first');
    ready('second');
    assert.deepEqual(left, []);
    endTurn();
    assert.deepEqual(left, ['first', 'second']);
  });

  it('leave once', () => {
    ready('first');
    endTurn();
    ready('second');
    endTurn();
    endTurn();
    assert.deepEqual(left, ['first', 'second']);
  });

  it('do not wait for more than a millisecond for those that take long', () => {
    ready('first');
    now += 0.9;
    ready('second');
    assert.deepEqual(left, []);
    now += 0.2;
    ready('third');
    assert.deepEqual(left, ['first', 'second']);
    endTurn();
    assert.deepEqual(left, ['first', 'second', 'third']);
  });

  it('do not leave while the one that made them late is still being parsed', () => {
    ready('first');
    now += 5;
    ready('second');
    assert.deepEqual(left, ['first']);
  });

  it('wait anew after some have left within the turn', () => {
    ready('first');
    now += 5;
    ready('second');
    now += 0.5;
    ready('third');
    assert.deepEqual(left, ['first']);
    endTurn();
    assert.deepEqual(left, ['first', 'second', 'third']);
  });

  it('make others ready as they leave, which wait for their own turn', () => {
    departures.send(() => {
      left.push('first');
      ready('second');
    });
    endTurn();
    assert.deepEqual(left, ['first']);
    endTurn();
    assert.deepEqual(left, ['first', 'second']);
  });
});
