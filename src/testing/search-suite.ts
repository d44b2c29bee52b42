import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../conventions/json.ts';
import type { Model } from '../model/model.ts';
import type { ListPlan, WritePlan, WriteUnit } from '../plan/plan.ts';
import type { Store } from '../stores/store.ts';
import { SeededRandom } from './seeded-random.ts';
import type { OpenStore } from './open-store.ts';
import { field, model, resource } from './sample-model.ts';
import { commit, create, listIds, listPlan, remove, update } from './sample-writes.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const ROUNDS = 30;
const SEARCHES = 12;

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
interface SampleText {
  readonly text: string | null;
  readonly words: readonly string[];
}

function randomWord(chance: SeededRandom): readonly [spelt: string, folded: string] {
  if (chance.oneIn(6)) {
    const keyword = chance.pick(KEYWORDS);
    return [chance.oneIn(2) ? keyword.toUpperCase() : keyword, keyword];
  }
  const letters = Array.from({ length: 1 + chance.integer(3) }, () => chance.pick(SPELLINGS));
  return [letters.map(([spelt]) => spelt).join(''), letters.map(([, folded]) => folded).join('')];
}

function randomText(chance: SeededRandom): SampleText {
  if (chance.oneIn(6)) return { text: null, words: [] };
  const words = Array.from({ length: chance.integer(5) }, () => randomWord(chance));
  const text = words.map(([spelt]) => `${spelt}${chance.pick(GAPS)}`).join('');
  return { text: chance.pick(GAPS) + text, words: words.map(([, folded]) => folded) };
}

/** A row as a test knows it. */
interface ExpectedRow {
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

interface RandomValues {
  readonly values: Readonly<Record<string, Json>>;
  readonly words: ExpectedRow['words'];
}

function randomValues(chance: SeededRandom): RandomValues {
  const [title, city, alias, tag, hidden] = [1, 2, 3, 4, 5].map(() => randomText(chance));
  assert.ok(title && city && alias && tag && hidden);
  const listed = (text: string | null): string[] => (text === null ? [] : [text, 'tag']);
  const place = chance.oneIn(4) ? null : { city: city.text, aliases: listed(alias.text) };
  return {
    values: {
      title: title.text,
      place,
      tags: listed(tag.text),
      code: chance.oneIn(2) ? null : `code ${chance.integer(1_000_000)} ${hidden.text}`,
      size: chance.integer(4),
    },
    words: {
      title: title.words,
      place: place === null ? [] : [...city.words, ...alias.words, ...(alias.text === null ? [] : ['tag'])],
      tags: tag.text === null ? [] : [...tag.words, 'tag'],
    },
  };
}

/** Keeps beside a store what its rows' words must be. */
class SearchOracle {
  readonly #store: Store;
  readonly #random: SeededRandom;
  #rows = new Map<string, ExpectedRow>();
  #created = 0;

  constructor(store: Store, chance: SeededRandom) {
    this.#store = store;
    this.#random = chance;
  }

  /** Units that come together, some of them refused, some tried alone. Each is about other rows. */
  async writeRandomUnits(): Promise<void> {
    const free = [...this.#rows.keys()];
    const drafts = Array.from({ length: 1 + this.#random.integer(4) }, () => this.#randomUnit(free));
    const outcomes = await Promise.all(drafts.map(({ unit }) => this.#store.writes.commit(unit)));
    for (const [index, { unit, apply, refused }] of drafts.entries()) {
      const outcome = outcomes[index];
      assert.equal(outcome?.kind, refused ? 'exists' : 'committed');
      if (outcome?.kind === 'committed' && unit.dry !== true) apply(outcome.revisions);
    }
  }

  /** Asks for words that some rows have and others do not, and compares with a look at every row. */
  async checkRandomSearch(): Promise<void> {
    const chance = this.#random;
    const words = Array.from({ length: 1 + chance.integer(2) }, () => this.#randomPrefix());
    const held = [...this.#rows].filter(([, row]) => {
      const all = Object.values(row.words).flat();
      return words.every((start) => all.some((word) => word.startsWith(start)));
    });
    const expected = held.map(([id]) => id).sort();
    const plan: Partial<ListPlan> = {
      resource: 'notes',
      filter: [{ operator: 'search', words }],
      order: chance.pick([['id'], ['size', 'id'], ['title', 'id'], ['created_at', 'id']]).map((path) => {
        return { path, descending: chance.oneIn(2) };
      }),
      effort: chance.oneIn(2) ? 'unbounded' : 'light',
      count: { kind: 'exact' },
    };
    const { rows, total } = await this.#store.rows.list(
      listPlan({ ...plan, window: { kind: 'offset', offset: 0, limit: 1_000 } }),
    );
    assert.deepEqual(rows.map(({ id }) => id).sort(), expected, JSON.stringify(words));
    assert.deepEqual(total, { count: expected.length, exact: true });
  }

  /** The start of a word that a row has, or of one that may be in none. */
  #randomPrefix(): string {
    const words = [...this.#rows.values()].flatMap((row) => Object.values(row.words).flat());
    const word = this.#random.oneIn(4) || words.length === 0 ? randomWord(this.#random)[1] : this.#random.pick(words);
    const characters = Array.from(word);
    return characters.slice(0, 1 + this.#random.integer(characters.length)).join('');
  }

  #randomUnit(free: string[]): { unit: WriteUnit; apply: (revisions: readonly number[]) => void; refused: boolean } {
    const steps = Array.from({ length: 1 + this.#random.integer(3) }, () => this.#randomPlan(free));
    const refused = this.#random.oneIn(4) && steps[0]?.plan.kind === 'create';
    const plans = steps.map(({ plan }) => plan);
    return {
      unit: { plans: refused ? [...plans, ...plans.slice(0, 1)] : plans, dry: this.#random.oneIn(5) },
      apply: (revisions) => steps.forEach(({ apply }, index) => apply(revisions[index] ?? 0)),
      refused,
    };
  }

  #randomPlan(free: string[]): { plan: WritePlan; apply: (revision: number) => void } {
    const id = free.splice(this.#random.integer(free.length), 1)[0];
    const row = id === undefined ? undefined : this.#rows.get(id);
    if (id === undefined || row === undefined || this.#random.oneIn(3)) return this.#randomCreate();
    if (this.#random.oneIn(3)) {
      return { plan: remove('notes', id, row.revision), apply: () => void this.#rows.delete(id) };
    }
    const { values, words } = randomValues(this.#random);
    const changed = Object.keys(values).filter(() => this.#random.oneIn(2));
    const of = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => changed.includes(name)));
    const plan = update('notes', id, row.revision, of(values));
    return { plan, apply: (revision) => void this.#rows.set(id, { revision, words: { ...row.words, ...of(words) } }) };
  }

  #randomCreate(): { plan: WritePlan; apply: (revision: number) => void } {
    this.#created += 1;
    const id = `note ${this.#created}`;
    const { values, words } = randomValues(this.#random);
    return { plan: create('notes', id, values), apply: (revision) => void this.#rows.set(id, { revision, words }) };
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
          const notes = new SearchOracle(store, new SeededRandom(seed));
          for (let round = 0; round < ROUNDS; round += 1) {
            await notes.writeRandomUnits();
            for (let count = 0; count < SEARCHES; count += 1) await notes.checkRandomSearch();
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
        assert.deepEqual(await listIds(store, { ...plan, order }), ['c', 'a', 'b']);
        const window = { kind: 'seek', after: [2, 'c'], backward: false, limit: 5 } as const;
        assert.deepEqual(await listIds(store, { ...plan, order, window }), ['a', 'b']);
        const filter = [...(plan.filter ?? []), { path: 'size', operator: 'in', values: [2] } as const];
        assert.deepEqual(await listIds(store, { ...plan, filter }), ['a', 'c']);
        assert.deepEqual(await listIds(store, { ...plan, resource: 'notes_data' }), ['a']);
      }),
    );
  });
}
