import { secondHit } from '../../cache/admission-filter.ts';
import { ArenaGeneration, type Packed, packedBytes } from '../../cache/arena-generation.ts';
import { type Cache, type CacheStatistics, createCache } from '../../cache/cache.ts';
import { ObjectCache } from '../../cache/object-cache.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import { httpDate } from '../../conventions/headers/http-date.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { Modified } from '../etags.ts';
import { isVisible } from '../../plan/policy/holds.ts';
import type { Row } from '../../plan/plan.ts';
import { isJudgedByRow, judgedFields, type Visibility } from '../../plan/visibility.ts';

/** Bytes of cached items: 55,000 of 450 characters. Memory is taken as it is filled, a quarter at a time. */
const MAX_BYTES = 33_554_432;
const GENERATIONS = 4;
/** Keys that the admission filter knows, about as many as there is room for. */
const RECENT_KEYS = 65_536;

/** Separates the values that policies compare from the representation. Serialized JSON contains no line break. */
const SEPARATOR = '\n';

/** The facts of a row that are cached with its representation. */
interface CachedFacts extends Pick<Modified, 'at'> {
  readonly revision: number;
  /** The values that policies compare, in the order of `ItemState.judged`, as JSON; empty where they compare none. */
  readonly judged: string;
}

/** One row, represented. */
export class CachedItem implements Modified {
  readonly revision: number;
  readonly at: number;
  readonly judged: string;
  readonly #write: () => string;
  #text: string | null = null;

  /** @param write makes the representation, once, when it is first needed */
  constructor({ revision, at, judged }: CachedFacts, write: () => string) {
    this.revision = revision;
    this.at = at;
    this.judged = judged;
    this.#write = write;
  }

  get date(): string {
    return httpDate(this.at);
  }

  get text(): string {
    this.#text ??= this.#write();
    return this.#text;
  }
}

/** A state of a row in one variant. */
export interface ItemState {
  readonly resource: string;
  readonly id: string;
  /** Names everything that the representation depends on besides the row. */
  readonly variant: string;
  /** The stamp that the store gave for the row before it was read. */
  readonly stamp: number;
  /** The fields that policies on reading compare. */
  readonly judged: readonly string[];
}

/**
 * Caches whole representations of single rows, valid while the store gives the row the same stamp (CACHE-1). They
 * depend on the row and, through the variant, on the *contract* and the *permission*. They never depend on an identity
 * or a visibility, so that callers with the same permission share them. The values that policies compare are cached
 * with the representation.
 */
export class ItemCache {
  readonly #cache = createCache({
    maxWeight: MAX_BYTES,
    weigh: packedBytes,
    admits: secondHit(RECENT_KEYS),
    generations: GENERATIONS,
    newGeneration: (bytes) => new ArenaGeneration(bytes),
  });
  readonly verdicts: VerdictCache = new ObjectCache();

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** Evicts every item and returns the memory to the system. */
  clear(): void {
    this.#cache.clear();
  }

  slot({ resource, id, variant, stamp, judged }: ItemState): ItemSlot {
    return new ItemSlot(this.#cache, `${variant}/${resource}/${id}`, stamp, judged);
  }
}

/**
 * Caches verdicts of policies on the values of cached items, by *visibility*. A caller reads many rows with the same
 * values, such as those that it owns. The verdicts live as long as the visibility.
 */
export type VerdictCache = ObjectCache<Visibility, Map<string, boolean>>;

/** The place of the item of one state of a row in the cache. */
export class ItemSlot {
  readonly #cache: Cache<Packed>;
  readonly #key: string;
  readonly #stamp: number;
  /** The fields that policies on reading compare. */
  readonly judged: readonly string[];

  constructor(cache: Cache<Packed>, key: string, stamp: number, judged: readonly string[]) {
    this.#cache = cache;
    this.#key = key;
    this.#stamp = stamp;
    this.judged = judged;
  }

  get(): CachedItem | null {
    const packed = this.#cache.get(this.#key);
    if (packed === undefined) return null;
    const [stamp, revision, at] = packed.numbers;
    if (stamp !== this.#stamp) {
      this.#cache.missAfterAll();
      return null;
    }
    if (this.judged.length === 0) return new CachedItem({ revision, at, judged: '' }, () => packed.text);
    const { text } = packed;
    const end = text.indexOf(SEPARATOR);
    return new CachedItem({ revision, at, judged: text.slice(0, end) }, () => text.slice(end + 1));
  }

  /** Stores the item if its key is admitted. Only then is its text made. */
  set(item: CachedItem): void {
    this.#cache.set(this.#key, new PackedItem(this.#stamp, item));
  }
}

/**
 * Packs an item for the cache. It is a class because each object literal with a getter has a hidden class of its own.
 * V8 retains that, with everything it refers to, until a major collection.
 */
class PackedItem implements Packed {
  readonly numbers: Packed['numbers'];
  readonly #item: CachedItem;

  constructor(stamp: number, item: CachedItem) {
    this.numbers = [stamp, item.revision, item.at];
    this.#item = item;
  }

  get text(): string {
    const { judged, text } = this.#item;
    return judged === '' ? text : `${judged}${SEPARATOR}${text}`;
  }
}

/** Writes the values of fields that policies compare, as they are cached with an item. */
export function judgedValues(fields: readonly string[], row: Row): string {
  return fields.length === 0 ? '' : JSON.stringify(fields.map((name) => row[name] ?? null));
}

/**
 * True if the values that are cached with items suffice to judge them for a caller (AUTH-5). Policies compare stored
 * fields, so items of an older contract whose rows differ cannot be judged.
 */
export function canJudge({ judged }: CompiledResource, visible: Visibility): boolean {
  return visible.kind !== 'conditions' || judgeable(judged)(visible);
}

/** By the fields that a contract caches, and by visibility, which all contracts share. */
const judgeable = weakMemoize((judged: readonly string[]) =>
  weakMemoize(
    (visible: Visibility) => isJudgedByRow(visible) && judgedFields(visible).every((name) => judged.includes(name)),
  ),
);

/** Maximum number of cached verdicts for one visibility. */
const MAX_VERDICTS = 1_000;

/** True if a caller sees a cached item. Call it only if {@link canJudge} is true. */
export function seesItem(
  compiled: CompiledResource,
  { judged }: CachedItem,
  visible: Visibility,
  verdicts: VerdictCache,
): boolean {
  if (visible.kind !== 'conditions') return visible.kind === 'everything';
  const known = verdicts.get(visible);
  const before = known?.get(judged);
  if (before !== undefined) return before;
  if (known !== undefined) verdicts.missAfterAll();
  const verdict = judge(compiled, judged, visible);
  if (known !== undefined && known.size < MAX_VERDICTS) known.set(judged, verdict);
  else verdicts.set(visible, new Map([[judged, verdict]]));
  return verdict;
}

function judge({ stored, judged: fields }: CompiledResource, judged: string, visible: Visibility): boolean {
  if (!isJudgedByRow(visible)) return false;
  const values: readonly Json[] = JSON.parse(judged);
  return isVisible(stored, Object.fromEntries(fields.map((name, index) => [name, values[index] ?? null])), visible);
}
