import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { defineModel, type DefinedModel, resource } from '../../../../src/model/typescript/define-model.ts';
import { refuse } from '../../../../src/model/hooks.ts';
import { apiUnderTest } from '../../support/api-under-test.ts';

const CREATED = { status: 201, events: ['stay.created'] };
const UPDATED = { status: 200, events: ['stay.updated'] };

/**
 * Stays in a guest house: the name of the guest is trimmed, 13 nights are not offered, the last day follows the first.
 */
const libraries: Readonly<Record<string, Parameters<typeof resource>[0]['schema']>> = {
  Zod: z
    .object({
      guest: z.string().trim().min(1),
      nights: z
        .int()
        .optional()
        .refine((nights) => nights !== 13, 'is unlucky'),
      from: z.string(),
      to: z.string().optional(),
    })
    .refine(({ from, to }) => to === undefined || from < to, { path: ['to'], message: 'is not after from' }),
  Valibot: toStandardJsonSchema(
    v.pipe(
      v.object({
        guest: v.pipe(v.string(), v.trim(), v.minLength(1)),
        nights: v.optional(
          v.pipe(
            v.number(),
            v.integer(),
            v.check((nights) => nights !== 13, 'is unlucky'),
          ),
        ),
        from: v.string(),
        to: v.optional(v.string()),
      }),
      v.forward(
        v.check(({ from, to }) => to === undefined || from < to, 'is not after from'),
        ['to'],
      ),
    ),
  ),
  ArkType: type({
    guest: type('string.trim').to('string >= 1'),
    'nights?': type('number.integer').narrow(
      (nights, context) => nights !== 13 || context.reject({ message: 'is unlucky' }),
    ),
    from: 'string',
    'to?': 'string',
  }).narrow(
    ({ from, to }, context) =>
      to === undefined || from < to || context.reject({ path: ['to'], message: 'is not after from' }),
  ),
};

function stays(schema: Parameters<typeof resource>[0]['schema']): DefinedModel {
  return defineModel({ name: 'inn', resources: { stays: resource({ id: 'client', schema }) } });
}

for (const [library, schema] of Object.entries(libraries)) {
  describe(`a schema of ${library}`, () => {
    it('refuses what its refinements refuse, by field, in every kind of write', async () => {
      await using inn = await apiUnderTest(stays(schema));
      const invalid = (...details: readonly object[]) => ({ status: 400, has: { errorCode: 'STAY_INVALID', details } });
      const unlucky = { field: 'nights', message: 'is unlucky' };
      const reversed = { field: 'to', message: 'is not after from' };
      const body = { id: 'a', guest: 'Ann', from: '2026-05-01' };
      await inn.row({ send: 'POST /api/v1/stays', body: { ...body, nights: 13 }, ...invalid(unlucky) });
      await inn.row({ send: 'POST /api/v1/stays', body: { ...body, to: '2026-04-01' }, ...invalid(reversed) });
      await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body, has: { nights: null, to: null } });
      await inn.row({ send: 'PATCH /api/v1/stays/a', body: { nights: 13 }, ...invalid(unlucky) });
      await inn.row({ send: 'PUT /api/v1/stays/a', body: { ...body, to: '2026-04-01' }, ...invalid(reversed) });
      const operations = [{ method: 'PATCH', path: '/stays/a', body: { nights: 13 } }];
      const batch = await inn.row({ send: 'POST /api/v1/batches', body: { operations }, status: 400 });
      assert.match(batch.text, /is unlucky/);
    });

    it('stores what its transforms return', async () => {
      await using inn = await apiUnderTest(stays(schema));
      const body = { id: 'a', guest: '  Ann ', from: '2026-05-01', to: null };
      await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body, has: { guest: 'Ann', to: null } });
      await inn.row({ ...UPDATED, send: 'PATCH /api/v1/stays/a', body: { guest: ' Bob' }, has: { guest: 'Bob' } });
      await inn.row({ send: 'PATCH /api/v1/stays/a', body: { guest: 'Bob  ' }, status: 200, has: { revision: 2 } });
      await inn.row({ send: 'POST /api/v1/stays', body: { ...body, id: 'b', guest: '   ' }, status: 400 });
    });
  });
}

describe('refinements and transforms', () => {
  it('may be asynchronous, and may refuse', async () => {
    const guest = z
      .string()
      .refine(async (name) => Promise.resolve(name !== 'Eve'), 'is not welcome')
      .transform((name) => (name === 'Mallory' ? refuse('FORBIDDEN', 'Not in this house.') : name.toUpperCase()));
    await using inn = await apiUnderTest(stays(z.object({ guest })));
    const details = [{ field: 'guest', message: 'is not welcome' }];
    await inn.row({ send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Eve' }, status: 400, has: { details } });
    await inn.row({ send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Mallory' }, status: 403 });
    await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body: { id: 'a', guest: 'ann' }, has: { guest: 'ANN' } });
  });

  it('name the body for an error of the whole row', async () => {
    const schema = z
      .object({ guest: z.string(), host: z.string() })
      .refine((row) => row.guest !== row.host, 'is alone');
    await using inn = await apiUnderTest(stays(schema));
    const details = [{ field: 'body', message: 'is alone' }];
    await inn.row({
      send: 'POST /api/v1/stays',
      body: { id: 'a', guest: 'A', host: 'A' },
      status: 400,
      has: { details },
    });
  });

  it('run before check and before hooks, which get what they return, and again on what a before hook returns', async () => {
    const seen: string[] = [];
    const schema = z.object({
      guest: z
        .string()
        .trim()
        .refine((name) => name !== 'Eve', 'is not welcome'),
    });
    const inns = resource({
      id: 'client',
      schema,
      check: { guest: (name) => (seen.push(name), null) },
      before: { create: (draft) => (seen.push(draft.guest), draft.guest === 'Bob' ? { guest: 'Eve' } : draft) },
    });
    await using inn = await apiUnderTest(defineModel({ name: 'inn', resources: { stays: inns } }));
    await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body: { id: 'a', guest: ' Ann ' } });
    assert.deepEqual(seen, ['Ann', 'Ann']);
    await inn.row({ send: 'POST /api/v1/stays', body: { id: 'b', guest: 'Bob' }, status: 500 });
  });

  it('[MET-7] do not run for a write that changes nothing, nor transform an unchanged field again', async () => {
    let calls = 0;
    const schema = z.object({
      guest: z.string().transform((name) => ((calls += 1), `${name}!`)),
      nights: z.int().optional(),
    });
    await using inn = await apiUnderTest(stays(schema));
    await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Ann' }, has: { guest: 'Ann!' } });
    await inn.row({ send: 'PATCH /api/v1/stays/a', body: { guest: 'Ann!' }, status: 200, has: { revision: 1 } });
    assert.equal(calls, 1);
    await inn.row({
      ...UPDATED,
      send: 'PATCH /api/v1/stays/a',
      body: { nights: 2 },
      has: { guest: 'Ann!', nights: 2 },
    });
    await inn.row({ ...UPDATED, send: 'PATCH /api/v1/stays/a', body: { guest: 'Bob' }, has: { guest: 'Bob!' } });
  });

  it('may derive one field from another', async () => {
    const schema = z
      .object({ guest: z.string(), slug: z.string().optional() })
      .transform((stay) => ({ ...stay, slug: stay.guest.toLowerCase() }));
    await using inn = await apiUnderTest(stays(schema));
    await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Ann' }, has: { slug: 'ann' } });
    await inn.row({ ...UPDATED, send: 'PATCH /api/v1/stays/a', body: { guest: 'Bob' }, has: { slug: 'bob' } });
  });

  it('[REP-4] see an unset member as absent, at any depth, and leave it unset', async () => {
    const bed = z.object({ size: z.string(), note: z.string().optional(), soft: z.boolean().default(true) });
    const schema = z.object({
      guest: z.string().default('N. N.'),
      tags: z
        .array(z.string())
        .refine((tags) => tags.length > 0)
        .optional(),
      bed: bed.optional(),
      beds: z.array(bed),
      extras: z.record(z.string(), bed).optional(),
      since: z.string().nullable(),
    });
    await using inn = await apiUnderTest(stays(schema));
    const given = { size: 'L', note: null, soft: null };
    const body = { id: 'a', guest: null, bed: given, beds: [{ ...given, soft: true }], since: null };
    const has = { guest: null, tags: [], bed: given, beds: [{ ...given, soft: true }], extras: null, since: null };
    await inn.row({ ...CREATED, send: 'POST /api/v1/stays', body, has });
  });

  it('[ERR-7] that return what the schema does not allow are a constant 500, with the field in the log', async () => {
    const schema = z.object({ guest: z.string().transform((name) => name.length) });
    await using inn = await apiUnderTest(stays(schema));
    await inn.row({ send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Ann' }, status: 500 });
    const [error] = inn.observations.filter(({ kind }) => kind === 'error');
    assert.match(
      String(Object(Object(error).error).message ?? JSON.stringify(error)),
      /transform in the schema of stays .*guest/,
    );
  });

  it('[REP-11a] never quote a write-only value', async () => {
    const schema = z.object({
      guest: z.string(),
      pin: z
        .string()
        .meta({ writeOnly: true })
        .refine((pin) => pin.length > 3, { error: ({ input }) => `is ${String(input)}` }),
    });
    await using inn = await apiUnderTest(stays(schema));
    const details = [{ field: 'pin', message: 'is not valid' }];
    await inn.row({
      send: 'POST /api/v1/stays',
      body: { id: 'a', guest: 'Ann', pin: '9c' },
      status: 400,
      has: { details },
    });
  });

  it('run for the writes that a hook adds', async () => {
    const guests = resource({
      id: 'client',
      schema: z.object({
        name: z
          .string()
          .trim()
          .refine((name) => name !== 'Eve'),
      }),
    });
    const noted = resource({
      id: 'client',
      schema: { type: 'object', properties: { guest: { type: 'string' } } },
      before: {
        create: async (draft, { writes }) => {
          await writes.create('guests', { id: 'g', name: ` ${draft.guest} ` });
        },
      },
    });
    await using inn = await apiUnderTest(defineModel({ name: 'inn', resources: { guests, stays: noted } }));
    await inn.row({ send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Eve' }, status: 500 });
    const events = ['guest.created', 'stay.created'];
    await inn.row({ send: 'POST /api/v1/stays', body: { id: 'a', guest: 'Ann' }, status: 201, events });
    await inn.row({ send: 'GET /api/v1/guests/g', status: 200, has: { name: 'Ann' } });
  });
});
