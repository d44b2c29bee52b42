import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../conventions/json.ts';
import type { Model } from '../model/model.ts';
import type { ListPlan, WritePlan, WriteUnit } from '../plan/plan.ts';
import type { Store } from '../stores/store.ts';
import { Chance } from './chance.ts';
import type { OpenStore } from './open-store.ts';
import { field, model, resource } from './sample-model.ts';
import { commit, create, idsOf, listOf, remove, update } from './sample-writes.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const ROUNDS = 30;
const QUESTIONS = 12;

/** What words are spelt with, and what each spelling is once case and accents make no difference. */
const SPELLINGS: readonly (readonly [spelt: string, folded: string])[] = [
  ...['a', 'A', 'á', 'Å', 'a\u0301', 'A\u030a\u0323'].map((each) => [each, 'a'] as const),
  ...['i', 'I', 'İ', 'ı', 'i\u0307', 'Í'].map((each) => [each, 'i'] as const),
  ...['s', 'S', 'ſ', 'Š', 's\u030c'].map((each) => [each, 's'] as const),
  ...['ß', 'ẞ', 'SS'].map((each) => [each, 'ss'] as const),
  ...['ς', 'σ', 'Σ'].map((each) => [each, 'σ'] as const),
  ...['Ё', 'ё', 'е', 'Е'].map((each) => [each, 'е'] as const),
  ['ø', 'ø'],
  ['Ø', 'ø'],
  ['漢', '漢'],
  ['ガ', 'ガ'],
  ['カ', 'カ'],
  ['한', '한'],
  ['हि', 'हि'],
  ['ह', 'ह'],
  ['7', '7'],
  ['٣', '٣'],
  ['²', '²'],
  ['𝒳', '𝒳'],
];

/** What stands between words. A mark that stands alone belongs to none. */
const GAPS = [' ', '-', '_', "'", '’', '"', '*', '\n', ' \u0301', '👍🏽', '🇳🇴', '\u200d', '.', ':', '%'];

/** Words that a query language would take for its own. */
const KEYWORDS = ['or', 'and', 'not', 'near', 'null', 'rowid', 'rank', 'words'];

/** A text and the words in it, known from how it was put together. */
interface Text {
  readonly text: string | null;
  readonly words: readonly string[];
}

function randomWord(chance: Chance): readonly [spelt: string, folded: string] {
  if (chance.oneIn(6)) {
    const keyword = chance.of(KEYWORDS);
    return [chance.oneIn(2) ? keyword.toUpperCase() : keyword, keyword];
  }
  const letters = Array.from({ length: 1 + chance.below(3) }, () => chance.of(SPELLINGS));
  return [letters.map(([spelt]) => spelt).join(''), letters.map(([, folded]) => folded).join('')];
}

function randomText(chance: Chance): Text {
  if (chance.oneIn(6)) return { text: null, words: [] };
  const words = Array.from({ length: chance.below(5) }, () => randomWord(chance));
  const text = words.map(([spelt]) => `${spelt}${chance.of(GAPS)}`).join('');
  return { text: chance.of(GAPS) + text, words: words.map(([, folded]) => folded) };
}

/** A row as a test knows it. */
interface Known {
  readonly revision: number;
  readonly words: Readonly<Record<string, readonly string[]>>;
}

const TEXT = { kind: 'text', format: null } as const;
const TEXTS = { kind: 'array', item: { type: TEXT, nullable: false } } as const;

/** Notes with texts of every place in which one may be searched, and a place in which none is. */
function searchedModel(): Model {
  const city = { name: 'city', type: TEXT, nullable: true, required: false };
  const aliases = { name: 'aliases', type: TEXTS, nullable: false, required: false };
  const fields = [
    field('title', TEXT),
    field('place', { kind: 'object', members: [city, aliases] }),
    field('tags', TEXTS),
    field('code', TEXT),
    field('size', { kind: 'integer' }),
  ];
  const search = ['title', 'place.city', 'place.aliases', 'tags'];
  const notes = resource({ name: 'notes', fields, search, uniques: [['code']], indexes: [['size']] });
  return model([notes, resource({ name: 'notes_data', fields: [field('title', TEXT)], search: ['title'] })]);
}

interface Drawn {
  readonly values: Readonly<Record<string, Json>>;
  readonly words: Known['words'];
}

function randomValues(chance: Chance): Drawn {
  const [title, city, alias, tag, hidden] = [1, 2, 3, 4, 5].map(() => randomText(chance));
  assert.ok(title && city && alias && tag && hidden);
  const listed = (text: string | null): string[] => (text === null ? [] : [text, 'tag']);
  const place = chance.oneIn(4) ? null : { city: city.text, aliases: listed(alias.text) };
  return {
    values: {
      title: title.text,
      place,
      tags: listed(tag.text),
      code: chance.oneIn(2) ? null : `code ${chance.below(1_000_000)} ${hidden.text}`,
      size: chance.below(4),
    },
    words: {
      title: title.words,
      place: place === null ? [] : [...city.words, ...alias.words, ...(alias.text === null ? [] : ['tag'])],
      tags: tag.text === null ? [] : [...tag.words, 'tag'],
    },
  };
}

/** Keeps beside a store what its rows' words must be. */
class Notes {
  readonly #store: Store;
  readonly #chance: Chance;
  #known = new Map<string, Known>();
  #made = 0;

  constructor(store: Store, chance: Chance) {
    this.#store = store;
    this.#chance = chance;
  }

  /** Units that come together, some of them refused, some tried alone. Each is about other rows. */
  async round(): Promise<void> {
    const free = [...this.#known.keys()];
    const drafts = Array.from({ length: 1 + this.#chance.below(4) }, () => this.#draft(free));
    const outcomes = await Promise.all(drafts.map(({ unit }) => this.#store.resources.write(unit)));
    for (const [index, { unit, apply, refused }] of drafts.entries()) {
      const outcome = outcomes[index];
      assert.equal(outcome?.kind, refused ? 'exists' : 'committed');
      if (outcome?.kind === 'committed' && unit.dry !== true) apply(outcome.revisions);
    }
  }

  /** Asks for words that some rows have and others do not, and compares with a look at every row. */
  async ask(): Promise<void> {
    const chance = this.#chance;
    const words = Array.from({ length: 1 + chance.below(2) }, () => this.#start());
    const held = [...this.#known].filter(([, row]) => {
      const all = Object.values(row.words).flat();
      return words.every((start) => all.some((word) => word.startsWith(start)));
    });
    const expected = held.map(([id]) => id).sort();
    const plan: Partial<ListPlan> = {
      resource: 'notes',
      filter: [{ operator: 'search', words }],
      order: chance.of([['id'], ['size', 'id'], ['title', 'id'], ['created_at', 'id']]).map((path) => {
        return { path, descending: chance.oneIn(2) };
      }),
      effort: chance.oneIn(2) ? 'unbounded' : 'light',
      count: { kind: 'exact' },
    };
    const { rows, total } = await this.#store.resources.list(
      listOf({ ...plan, window: { kind: 'offset', offset: 0, limit: 1_000 } }),
    );
    assert.deepEqual(rows.map(({ id }) => id).sort(), expected, JSON.stringify(words));
    assert.deepEqual(total, { count: expected.length, exact: true });
  }

  /** The start of a word that a row has, or of one that may be in none. */
  #start(): string {
    const words = [...this.#known.values()].flatMap((row) => Object.values(row.words).flat());
    const word = this.#chance.oneIn(4) || words.length === 0 ? randomWord(this.#chance)[1] : this.#chance.of(words);
    const characters = Array.from(word);
    return characters.slice(0, 1 + this.#chance.below(characters.length)).join('');
  }

  #draft(free: string[]): { unit: WriteUnit; apply: (revisions: readonly number[]) => void; refused: boolean } {
    const steps = Array.from({ length: 1 + this.#chance.below(3) }, () => this.#step(free));
    const refused = this.#chance.oneIn(4) && steps[0]?.plan.kind === 'create';
    const plans = steps.map(({ plan }) => plan);
    return {
      unit: { plans: refused ? [...plans, ...plans.slice(0, 1)] : plans, dry: this.#chance.oneIn(5) },
      apply: (revisions) => steps.forEach(({ apply }, index) => apply(revisions[index] ?? 0)),
      refused,
    };
  }

  #step(free: string[]): { plan: WritePlan; apply: (revision: number) => void } {
    const id = free.splice(this.#chance.below(free.length), 1)[0];
    const row = id === undefined ? undefined : this.#known.get(id);
    if (id === undefined || row === undefined || this.#chance.oneIn(3)) return this.#creation();
    if (this.#chance.oneIn(3)) {
      return { plan: remove('notes', id, row.revision), apply: () => void this.#known.delete(id) };
    }
    const { values, words } = randomValues(this.#chance);
    const changed = Object.keys(values).filter(() => this.#chance.oneIn(2));
    const of = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => changed.includes(name)));
    const plan = update('notes', id, row.revision, of(values));
    return { plan, apply: (revision) => void this.#known.set(id, { revision, words: { ...row.words, ...of(words) } }) };
  }

  #creation(): { plan: WritePlan; apply: (revision: number) => void } {
    this.#made += 1;
    const id = `note ${this.#made}`;
    const { values, words } = randomValues(this.#chance);
    return { plan: create('notes', id, values), apply: (revision) => void this.#known.set(id, { revision, words }) };
  }
}

function withNotes(open: OpenStore, body: (store: Store) => Promise<void>): () => Promise<void> {
  return async () => {
    const store = await open(searchedModel());
    try {
      await body(store);
    } finally {
      await store.close();
    }
  };
}

export function searchSuite(name: string, open: OpenStore): void {
  describe(`${name}: text search`, () => {
    for (const seed of SEEDS) {
      it(
        `[QRY-6] finds the rows in which every word begins one, whatever was written, refused or tried (seed ${seed})`,
        withNotes(open, async (store) => {
          const notes = new Notes(store, new Chance(seed));
          for (let round = 0; round < ROUNDS; round += 1) {
            await notes.round();
            for (let count = 0; count < QUESTIONS; count += 1) await notes.ask();
          }
        }),
      );
    }

    it(
      '[QRY-6] is a filter beside others: the order stays that of the plan, and a walk goes on in it',
      withNotes(open, async (store) => {
        const note = (id: string, title: string, size: number): WritePlan =>
          create('notes', id, { title, size, place: null, tags: [], code: null });
        await commit(store, note('a', 'one two', 2), note('b', 'one', 1), note('c', 'ONE too', 2), note('d', 'two', 2));
        await commit(store, create('notes_data', 'a', { title: 'one two' }));
        const plan: Partial<ListPlan> = { resource: 'notes', filter: [{ operator: 'search', words: ['on'] }] };
        const order = [
          { path: 'size', descending: true },
          { path: 'id', descending: true },
        ];
        assert.deepEqual(await idsOf(store, { ...plan, order }), ['c', 'a', 'b']);
        const window = { kind: 'seek', after: [2, 'c'], backward: false, limit: 5 } as const;
        assert.deepEqual(await idsOf(store, { ...plan, order, window }), ['a', 'b']);
        const filter = [...(plan.filter ?? []), { path: 'size', operator: 'in', values: [2] } as const];
        assert.deepEqual(await idsOf(store, { ...plan, filter }), ['a', 'c']);
        assert.deepEqual(await idsOf(store, { ...plan, resource: 'notes_data' }), ['a']);
      }),
    );
  });
}
