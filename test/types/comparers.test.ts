import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Comparers, compareMembers, unseen, value } from '../../src/model/diff/comparers.ts';
import { API_PLACE } from '../../src/model/diff/difference.ts';

interface Settings {
  readonly title: string;
  readonly secret?: string;
}

describe('the comparers of a type', () => {
  it('[VER-6a] do not compile unless each member has one, an optional member too', () => {
    const all = {
      title: value('title-changed', 'the title'),
      secret: unseen('of the deployment'),
    } satisfies Comparers<Settings>;
    // @ts-expect-error the member `secret` is not decided
    const some: Comparers<Settings> = { title: value('title-changed', 'the title') };
    // @ts-expect-error there is no member `name`
    const more: Comparers<Settings> = { ...all, name: unseen('of nothing') };
    // @ts-expect-error a comparer of numbers
    const other: Comparers<Settings> = { ...all, title: (was: number, is: number) => (was === is ? [] : []) };
    for (const comparers of [all, some, more, other]) {
      assert.deepEqual(
        compareMembers<Settings, typeof API_PLACE>(comparers, [{ title: 'a' }, { title: 'a' }], API_PLACE),
        [],
      );
    }
  });
});
