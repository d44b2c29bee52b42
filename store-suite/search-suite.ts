import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../src/conventions/json/json.ts';
import type { Model } from '../src/model/model.ts';
import type { ListPlan, WritePlan } from '../src/plan/plan.ts';
import type { WriteUnit } from '../src/plan/write-unit.ts';
import type { Store } from '../src/stores/store.ts';
import { SeededRandom } from './seeded-random.ts';
import type { OpenStore } from './open-store.ts';
import { field, model, resource } from './sample-model.ts';
import { commit, create, listIds, listPlan, remove, update } from './sample-writes.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const ROUNDS = 30;
const SEARCHES = 12;

/** Letters and their form without case and accents. */
const SPELLINGS: readonly (readonly [written: string, folded: string])[] = [
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

/** Separators of words. A combining mark on its own belongs to no word. */
const GAPS = [' ', '-', '_', "'", '’', '"', '*', '\n', ' \u0301', '👍🏽', '🇳🇴', '\u200d', '.', ':', '%'];

/** Words with a meaning in FTS5 or SQL. */
const KEYWORDS = ['or', 'and', 'not', 'near', 'null', 'rowid', 'rank', 'words'];

/** A string and its words, known from its construction. */
interface SampleText {
  readonly text: string | null;
  readonly words: readonly string[];
}

function randomWord(random: SeededRandom): readonly [written: string, folded: string] {
  if (random.oneIn(6)) {
    const keyword = random.pick(KEYWORDS);
    return [random.oneIn(2) ? keyword.toUpperCase() : keyword, keyword];
  }
  const letters = Array.from({ length: 1 + random.integer(3) }, () => random.pick(SPELLINGS));
  return [letters.map(([written]) => written).join(''), letters.map(([, folded]) => folded).join('')];
}

function randomText(random: SeededRandom): SampleText {
  if (random.oneIn(6)) return { text: null, words: [] };
  const words = Array.from({ length: random.integer(5) }, () => randomWord(random));
  const text = words.map(([written]) => `${written}${random.pick(GAPS)}`).join('');
  return { text: random.pick(GAPS) + text, words: words.map(([, folded]) => folded) };
}

/** The expected state of a row. */
interface ExpectedRow {
  readonly revision: number;
  readonly words: Readonly<Record<string, readonly string[]>>;
}

const TEXT = { kind: 'text', format: null } as const;
const TEXTS = { kind: 'array', item: { type: TEXT, nullable: false } } as const;

/** Notes with searched text in every supported place, and a field that is not searched. */
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

function randomValues(random: SeededRandom): RandomValues {
  const [title, city, alias, tag, hidden] = [1, 2, 3, 4, 5].map(() => randomText(random));
  assert.ok(title && city && alias && tag && hidden);
  const listed = (text: string | null): string[] => (text === null ? [] : [text, 'tag']);
  const place = random.oneIn(4) ? null : { city: city.text, aliases: listed(alias.text) };
  return {
    values: {
      title: title.text,
      place,
      tags: listed(tag.text),
      code: random.oneIn(2) ? null : `code ${random.integer(1_000_000)} ${hidden.text}`,
      size: random.integer(4),
    },
    words: {
      title: title.words,
      place: place === null ? [] : [...city.words, ...alias.words, ...(alias.text === null ? [] : ['tag'])],
      tags: tag.text === null ? [] : [...tag.words, 'tag'],
    },
  };
}

/** Writes random rows, tracks their words, and checks the search results of a store. */
class SearchOracle {
  readonly #store: Store;
  readonly #random: SeededRandom;
  #rows = new Map<string, ExpectedRow>();
  #created = 0;

  constructor(store: Store, random: SeededRandom) {
    this.#store = store;
    this.#random = random;
  }

  /** Commits concurrent units for different rows; some are refused, some are dry runs. */
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

  /** Searches for random prefixes and compares the result with the words of all rows. */
  async checkRandomSearch(): Promise<void> {
    const random = this.#random;
    const words = Array.from({ length: 1 + random.integer(2) }, () => this.#randomPrefix());
    const matching = [...this.#rows].filter(([, row]) => {
      const all = Object.values(row.words).flat();
      return words.every((prefix) => all.some((word) => word.startsWith(prefix)));
    });
    const expected = matching.map(([id]) => id).sort();
    const plan: Partial<ListPlan> = {
      resource: 'notes',
      filter: [{ operator: 'search', words }],
      order: random.pick([['id'], ['size', 'id'], ['title', 'id'], ['created_at', 'id']]).map((path) => {
        return { path, descending: random.oneIn(2) };
      }),
      effort: random.oneIn(2) ? 'unbounded' : 'light',
      count: { kind: 'exact' },
    };
    const { rows, total } = await this.#store.rows.list(
      listPlan({ ...plan, window: { kind: 'offset', offset: 0, limit: 1_000 } }),
    );
    assert.deepEqual(rows.map(({ id }) => id).sort(), expected, JSON.stringify(words));
    assert.deepEqual(total, { count: expected.length, exact: true });
  }

  /** A prefix of a word of a row, or of a random word. */
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

export function searchSuite(name: string, open: OpenStore, seeds: number = SEEDS.length): void {
  describe(`${name}: text search`, () => {
    for (const seed of SEEDS.slice(0, seeds)) {
      it(
        `[QRY-6] finds the rows with a word for every prefix, after writes, refused units and dry runs (seed ${seed})`,
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
      '[QRY-6] is combined with other filters, and does not change order or pagination',
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
