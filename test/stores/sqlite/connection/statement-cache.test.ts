import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  StatementCache,
  type StatementCacheOptions,
} from '../../../../src/stores/sqlite/connection/statement-cache.ts';

/** What prepares texts under some bounds, and the texts that it prepared so far. */
function preparing(options?: StatementCacheOptions): { of: (text: string) => string; prepared: readonly string[] } {
  const prepared: string[] = [];
  const kept = new StatementCache((text) => {
    prepared.push(text);
    return `prepared ${text}`;
  }, options);
  return { of: (text) => kept.get(text), prepared };
}

describe('the statements that a connection keeps', () => {
  it('are prepared once', () => {
    const { of, prepared } = preparing();
    assert.deepEqual([of('a'), of('a'), prepared], ['prepared a', 'prepared a', ['a']]);
  });

  it('are so many at most; the least recently used goes first', () => {
    const { of, prepared } = preparing({ maxStatements: 2 });
    for (const text of ['a', 'b', 'c', 'b', 'd', 'b']) of(text);
    assert.deepEqual(prepared, ['a', 'b', 'c', 'd']);
    of('c');
    assert.deepEqual(prepared.slice(4), ['c']);
  });

  it('have so many characters at most together, so that long ones leave room for few', () => {
    const { of, prepared } = preparing({ maxCharacters: 10 });
    const texts = ['aaaa', 'bbbb', 'cccc', 'bbbb', 'aaaa', 'too long for any', 'too long for any', 'aaaa'];
    for (const text of texts) of(text);
    assert.deepEqual(prepared, ['aaaa', 'bbbb', 'cccc', 'aaaa', 'too long for any', 'aaaa']);
  });

  it('keep no more than a mebibyte of text', () => {
    const { of, prepared } = preparing();
    const texts = Array.from({ length: 5 }, (_, index) => String(index).repeat(262_144));
    for (const text of [...texts, ...texts.slice(1)]) of(text);
    assert.equal(prepared.length, 5);
    of(texts[0] ?? '');
    assert.equal(prepared.length, 6);
  });
});
