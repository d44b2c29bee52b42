import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import type { DefinedModel } from '../../../../src/model/typescript/define-model.ts';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import type { MigrationPhase } from '../../../../src/stores/sql/schema/current-models.ts';
import {
  type Consent,
  IncompatibleModels,
  LossySchemaChange,
} from '../../../../src/stores/sql/schema/schema-errors.ts';
import { runs } from '../../../extent.ts';
import { type ApiUnderTest, apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { chains, itemsIn, own, randomWrite, versionAt } from '../../../pipeline/support/versioned-twins.ts';
import {
  Chooser,
  defineVersions,
  type Doc,
  downThrough,
  normal,
  randomChain,
  randomDoc,
  upThrough,
  type Version,
  writeVersion,
} from '../../../versions/random-versions.ts';
import { newSchema } from '../open-postgres.ts';

/** The rows of a version, by id, in any order of their members. */
async function readRows(api: ApiUnderTest, version: Version): Promise<ReadonlyMap<string, Doc>> {
  const { status, body, text } = await api.send({ send: `GET ${itemsIn(version)}?limit=100` });
  assert.equal(status, 200, text);
  return new Map(body.data.map((row: Doc & { readonly id: string }) => [row.id, own(row)]));
}

async function migrate(
  url: string,
  defined: DefinedModel,
  phase: MigrationPhase,
  consent: Consent = 'none',
): Promise<void> {
  await (await openPostgres({ url, model: loadModel(defined).model, phase, consent })).close();
}

/** A row as each of two models has it. */
interface Pair {
  readonly older: Doc;
  readonly newest: Doc;
}

/** An oracle of two models, which knows only the changes between them. */
class Oracle {
  readonly #chain: readonly Version[];

  constructor(chain: readonly Version[]) {
    this.#chain = chain;
  }

  /** A row that an instance of the older model has written. */
  older(older: Doc, before: Pair | null): Pair {
    const current = before === null ? null : this.#all(before.newest);
    const newest = upThrough(this.#chain, older, current);
    return { older, newest: before === null ? completed(newest, versionAt({ versions: this.#chain }, 0)) : newest };
  }

  /** A row that one of the newer model has written: values of the older one that still mean the same stay. */
  newest(newest: Doc, before: Pair | null): Pair {
    const all = this.#all(newest);
    const shown = all.at(-1) ?? {};
    const kept = Object.entries(before?.older ?? {}).filter(([name, value]) => {
      const meant = upThrough(this.#chain, { ...shown, [name]: value }, all);
      return isDeepStrictEqual(sorted(meant), sorted(newest));
    });
    return { newest, older: { ...shown, ...Object.fromEntries(kept) } };
  }

  isLossless({ older, newest }: Pair): boolean {
    return isDeepStrictEqual(sorted(this.#all(newest).at(-1) ?? {}), sorted(older));
  }

  #all(newest: Doc): readonly Doc[] {
    return downThrough(this.#chain, newest);
  }
}

/** A new row, with the defaults of the fields that it leaves out. */
function completed(doc: Doc, { shape }: Version): Doc {
  const absent = [...shape].flatMap(([name, each]) =>
    !(name in doc) && 'default' in each && typeof each.default === 'string' ? [[name, each.default] as const] : [],
  );
  return { ...doc, ...Object.fromEntries(absent) };
}

function sorted(doc: Doc): Doc {
  return Object.fromEntries(Object.entries(normal(doc)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const seen = { served: 0, incompatible: 0, lossy: 0, refused: 0 };

it('[VER-5d] [OPS-6] instances of two models read and write each row right, whoever wrote it', async () => {
  await fc.assert(
    fc.asyncProperty(chains, async ([kinds, numbers]) => {
      const choose = new Chooser(numbers);
      const versions = randomChain(kinds, choose);
      if (versions.length === 1) return;
      const level = 1 + choose.below(versions.length - 1);
      const [newest, older] = [versionAt({ versions }, 0), versionAt({ versions }, level)];
      const oracle = new Oracle(versions.slice(0, level + 1));
      const database = newSchema();
      const pairs = new Map<string, Pair>();
      const check = async (api: ApiUnderTest, side: keyof Pair): Promise<void> => {
        const rows = await readRows(api, side === 'older' ? older : newest);
        const wanted = [...pairs].map(([id, pair]) => [id, sorted(pair[side])]);
        assert.deepEqual(
          Object.fromEntries([...rows].map(([id, doc]) => [id, sorted(doc)])),
          Object.fromEntries(wanted),
          side,
        );
      };
      const send = async (api: ApiUnderTest, version: Version, id: string): Promise<void> => {
        const side = version === older && api === old ? 'older' : 'newest';
        const before = pairs.get(id) ?? null;
        const doc = randomDoc(version.shape, choose);
        const write =
          before === null
            ? { method: 'PUT', headers: {}, body: doc, after: completed(doc, version) }
            : randomWrite(version, before[side], choose);
        const { status, text } = await api.send({
          send: `${write.method} ${itemsIn(version)}/${id}`,
          headers: write.headers,
          body: write.body,
        });
        assert.ok(status < 300, `${text} of ${JSON.stringify(write)}`);
        pairs.set(id, side === 'older' ? oracle.older(write.after, before) : oracle.newest(write.after, before));
      };
      let old = await apiUnderTest(writeVersion(older), { database });
      let young: ApiUnderTest | null = null;
      try {
        for (const id of ['a', 'b', 'c']) await send(old, older, id);
        try {
          await migrate(database, defineVersions(versions), 'expand');
        } catch (error) {
          if (error instanceof IncompatibleModels) seen.incompatible += 1;
          else if (error instanceof LossySchemaChange) seen.lossy += 1;
          else throw error;
          return;
        }
        seen.served += 1;
        young = await apiUnderTest(defineVersions(versions), { database });
        await check(young, 'newest');
        for (let step = 0; step < 8; step += 1) {
          const id = ['a', 'b', 'c', 'd', 'e'][choose.below(5)] ?? 'a';
          if (choose.below(2) === 0) await send(old, older, id);
          else await send(young, newest, id);
          await check(old, 'older');
          await check(young, 'newest');
          if (step === 3) {
            await old.close();
            old = await apiUnderTest(writeVersion(older), { database });
          }
          if (step === 6) {
            await young.close();
            young = await apiUnderTest(defineVersions(versions), { database });
          }
        }
        await old.close();
        try {
          await migrate(database, defineVersions(versions), 'contract');
        } catch (error) {
          if (!(error instanceof LossySchemaChange)) throw error;
          // Only for rows that one of the models cannot show.
          assert.ok(
            [...pairs.values()].some((pair) => !oracle.isLossless(pair)),
            error.message,
          );
          seen.refused += 1;
          await check(young, 'newest');
          await migrate(database, defineVersions(versions), 'contract', 'losses');
        }
        await check(young, 'newest');
        await send(young, newest, 'a');
        await check(young, 'newest');
      } finally {
        await old.close();
        await young?.close();
      }
    }),
    { numRuns: runs(5, 60), endOnFailure: true },
  );
  assert.ok(seen.served > 0);
});
