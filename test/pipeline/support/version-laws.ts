import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { downThrough, MOST, normal, upThrough } from '../../versions/random-versions.ts';
import {
  assertSame,
  chains,
  createThrough,
  filled,
  get,
  itemsIn,
  own,
  pairPaths,
  randomWrite,
  sendThrough,
  twins,
  type Twins,
  versionAt,
  walk,
  writeByHand,
} from './versioned-twins.ts';

type Law = (pair: Twins) => Promise<void>;

/** The laws of older contracts, by their titles. */
const LAWS: Readonly<Record<string, Law>> = {
  '[VER-5a] [VER-5b] shows what was created through it, after defaults and declared losses': async (pair) => {
    const { api, versions } = pair;
    for (const level of versions.keys()) {
      const version = versionAt(pair, level);
      const id = `r${level}`;
      const sent = await createThrough(pair, level, id);
      const seen = own((await get(api, `${itemsIn(version)}/${id}`)).body);
      const isLossless = versions.slice(0, level + 1).every(({ changes }) => changes.every((each) => each.isLossless));
      const defaults = [...version.shape].flatMap(([name, each]) =>
        'default' in each ? [[name, each.default] as const] : [],
      );
      if (isLossless) assert.deepEqual(normal(seen), normal({ ...Object.fromEntries(defaults), ...sent }));
      await assertSame(pair, id);
    }
  },

  '[VER-5a] [VER-5b] [MET-2] [MET-3] [MET-13] does to the store what the same request does by hand in the newest version':
    async (pair) => {
      const { api, versions, choose } = pair;
      const ids = await filled(pair, 2);
      for (let time = 0; time < 6; time += 1) {
        const id = choose.pick(ids) ?? '';
        const level = choose.below(versions.length);
        const above = versions.slice(0, level + 1);
        const before = downThrough(versions, own((await get(api, `/api/v9/items/${id}`)).body));
        const write = randomWrite(versionAt(pair, level), before[level] ?? {}, choose);
        await sendThrough(api, versionAt(pair, level), id, write, choose.below(3));
        await writeByHand(pair, 'PUT', id, upThrough(above, write.after, before));
        await assertSame(pair, id);
      }
    },

  '[VER-5a] [VER-5b] [MET-13] stores lines of NDJSON as single requests': async (pair) => {
    const { api, byHand, versions, choose } = pair;
    const [level, other] = [choose.below(versions.length), choose.below(versions.length)];
    const sent = [await createThrough(pair, level, 'a'), await createThrough(pair, level, 'b')];
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const body = sent.map((doc, index) => JSON.stringify({ id: `l${index}`, ...doc })).join('\n');
    const lines = await api.send({ send: `POST ${itemsIn(versionAt(pair, level))}`, headers, body });
    assert.equal(lines.text.match(/"status":201/g)?.length, 2, lines.text);
    for (const [index, id] of ['a', 'b'].entries()) {
      const path = itemsIn(versionAt(pair, other));
      const one = own((await get(api, `${path}/${id}`)).body);
      assert.deepEqual(own((await get(api, `${path}/l${index}`)).body), one);
    }
    assert.equal((await byHand.send({ send: 'GET /api/v9/items/l0' })).status, 404);
  },

  '[VER-5b] changes no field that it does not know by a patch': async (pair) => {
    const { api, versions, choose } = pair;
    await filled(pair, 1);
    const level = choose.below(versions.length);
    const version = versionAt(pair, level);
    const [name] = choose.pick([...version.shape]) ?? assert.fail();
    const before = own((await get(api, '/api/v9/items/r0')).body);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patch = { send: `PATCH ${itemsIn(version)}/r0`, headers, body: { [name]: null } };
    assert.equal((await api.send(patch)).status, 200);
    const after = own((await get(api, '/api/v9/items/r0')).body);
    const shown = downThrough(versions, before)[level] ?? {};
    const known = downThrough(versions, after)[level] ?? {};
    // All that it shows is as it was, but for the field; and so is what it shows of no field.
    assert.deepEqual({ ...normal(known), [name]: null }, { ...normal(shown), [name]: null });
    const kept = normal(
      upThrough(versions.slice(0, level + 1), { ...shown, [name]: null }, downThrough(versions, before)),
    );
    assert.deepEqual(normal(after), kept);
  },

  '[VER-5a] [PAGE-6] [QRY-1] [QRY-3] walks the rows that the newest version walks, by its own sorts, filters and cursors':
    async (pair) => {
      const { api, versions, choose } = pair;
      await filled(pair, 5);
      for (const level of versions.keys()) {
        const path = itemsIn(versionAt(pair, level));
        const [older, newest] = choose.pick(pairPaths(versions, level)) ?? assert.fail();
        if (newest === null) {
          assert.equal((await api.send({ send: `GET ${path}?sort=${older}` })).status, 400, older);
          continue;
        }
        const walked = await walk(api, `/api/v9/items?sort=-${newest}&limit=2`);
        assert.deepEqual(await walk(api, `${path}?sort=-${older}&limit=2`), walked);
        assert.equal(walked.length, 5);
        const filter = choose.pick(['=u', '[ne]=v', '[exists]=false', '[in]=u,w,x']) ?? '';
        const expected = await api.send({ send: `GET /api/v9/items?${newest}${filter}` });
        const seen = await api.send({ send: `GET ${path}?${older}${filter}` });
        assert.equal(seen.status, expected.status, seen.text);
        if (expected.status === 200) assert.deepEqual(listIds(seen.body.data), listIds(expected.body.data));
      }
    },

  '[VER-5a] [ERR-3] names only what it has in the details of errors': async (pair) => {
    const { api, versions } = pair;
    await filled(pair, 1);
    for (const version of versions) {
      const known = new Set([...version.shape.keys(), 'id', 'body']);
      const wrong = [...version.shape].map(([name, { kind }]) => [name, kind === 'digits' ? String(MOST + 1) : [{}]]);
      for (const body of [...wrong.map((each) => [each]), wrong]) {
        const sent = { send: `PUT ${itemsIn(version)}/r0`, body: Object.fromEntries(body) };
        const refused = await api.send(sent);
        assert.equal(refused.status, 400, JSON.stringify(body));
        assert.equal(refused.body.errorCode, `${version.singular.toUpperCase()}_INVALID`);
        const named = refused.body.details.map(({ field }: { field: string }) => field.split(/[.[]/, 1)[0]);
        assert.ok(
          named.every((name: string) => known.has(name)),
          `${version.name}: ${refused.text}`,
        );
      }
    }
  },

  '[VER-5a] [CACHE-1] has ETags and cached bytes of its own': async (pair) => {
    const { api, versions } = pair;
    await filled(pair, 2);
    const etags = new Map<string, string>();
    for (const target of ['', '/r0', '?limit=1']) {
      const first = new Map<string, string>();
      for (let time = 0; time < 3; time += 1) {
        for (const version of versions) {
          const seen = await get(api, itemsIn(version) + target);
          const etag = seen.headers.get('etag') ?? assert.fail();
          const where = `${version.name} ${target}`;
          assert.equal(etags.getOrInsert(etag, where), where);
          assert.equal(first.getOrInsert(version.name, seen.text), seen.text);
        }
      }
      for (const [etag, where] of etags) {
        for (const version of versions) {
          const conditional = { send: `GET ${itemsIn(version)}${target}`, headers: { 'If-None-Match': etag } };
          const { status } = await api.send(conditional);
          assert.equal(status, where === `${version.name} ${target}` ? 304 : 200);
        }
      }
    }
  },
};

/** Defines a test of each law. @param runs chains that are tried */
export function describeVersionLaws(runs: number): void {
  describe('a chain of up to five changes', () => {
    for (const [title, law] of Object.entries(LAWS)) {
      it(title, async () => {
        const property = fc.asyncProperty(chains, async (chosen) => {
          await using pair = await twins(chosen);
          await law(pair);
        });
        // A failure is a chain of a few numbers already, and each try opens two servers.
        await fc.assert(property, { numRuns: runs, endOnFailure: true });
      });
    }
  });
}

function listIds(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
