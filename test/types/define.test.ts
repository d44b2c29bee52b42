import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { type } from 'arktype';
import { z } from 'zod';
import {
  type defineModel,
  type ModelDefinition,
  resource,
  withServices,
} from '../../src/model/typescript/define-model.ts';
import type { ValuesOf } from '../../src/model/typescript/schema-types.ts';

/** Fails to compile unless both types are the same. */
function same<A, B>(
  ..._proof: [A] extends [B] ? ([B] extends [A] ? [] : ['differs', A, B]) : ['differs', A, B]
): void {}

interface Line {
  name: string;
  stock: number | null;
  phase: 'NEW' | 'DONE' | null;
  tags: string[];
  size: { unit: string; depth: number | null } | null;
}

const plain = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    stock: { type: 'integer' },
    phase: { type: 'string', enum: ['NEW', 'DONE'] },
    tags: { type: 'array', items: { type: 'string' } },
    size: { type: 'object', required: ['unit'], properties: { unit: { type: 'string' }, depth: { type: 'number' } } },
  },
} as const;

const box = Type.Object({
  name: Type.String(),
  stock: Type.Optional(Type.Integer()),
  tags: Type.Array(Type.String()),
  size: Type.Optional(Type.Object({ unit: Type.String(), depth: Type.Optional(Type.Number()) })),
});

const zod = z.object({ name: z.string(), stock: z.int().optional(), tags: z.array(z.string()) });
const ark = type({ name: 'string', 'stock?': 'number.integer', tags: 'string[]' });

describe('the types of a model in TypeScript', () => {
  it('follow from JSON Schema, TypeBox and Standard Schema: optional fields may be null', () => {
    same<ValuesOf<typeof plain>, Line>();
    same<ValuesOf<typeof box>, Pick<Line, 'name' | 'stock' | 'tags' | 'size'>>();
    same<ValuesOf<typeof zod>, Pick<Line, 'name' | 'stock' | 'tags'>>();
    same<ValuesOf<typeof ark>, Pick<Line, 'name' | 'stock' | 'tags'>>();
    // @ts-expect-error a required field is never null
    same<ValuesOf<typeof plain>['name'], string | null>();
    assert.ok(true, 'it compiles');
  });

  it('reach every hook', () => {
    const { resource: served, defineModel: defined } = withServices<{ vies: (id: string) => Promise<boolean> }>();
    const lines = served({
      schema: plain,
      computed: {
        label: {
          schema: { type: 'string' },
          from: ['name', 'stock'],
          value: (row) => `${row.name} ${(row.stock ?? 0).toFixed(0)}`,
        },
        // @ts-expect-error colour is not a field
        shade: { schema: { type: 'string' }, from: ['colour'], value: () => '' },
      },
      before: {
        create: (draft, { vies, at }) => {
          same<typeof draft.stock, number | null>();
          // @ts-expect-error stock is not a string
          draft.stock = at;
          void vies;
          return { ...draft, name: draft.name.trim() };
        },
        update: (draft, context, current) => {
          same<typeof current.revision, number>();
          // @ts-expect-error the current row is read-only
          current.name = draft.name;
          same<typeof context.caller.subject, string | null>();
          void draft;
        },
      },
      check: {
        name: async (value, { vies }) => ((await vies(value.trim())) ? null : 'is not registered'),
        // @ts-expect-error there is no such field
        colour: () => null,
      },
      after: { created: (event, { vies }) => void [event.payload.resource.id, vies] },
      generated: {
        name: 'uuid',
        stock: async ({ vies, at }) => ((await vies(at)) ? 1 : null),
        tags: ({ correlationId }) => [correlationId],
        // @ts-expect-error a phase is NEW or DONE
        phase: () => 'OPEN',
      },
    });
    // @ts-expect-error colour is not a field
    served({ schema: plain, generated: { colour: (context) => context.at } });
    defined({ name: 'shop', resources: { lines }, services: { vies: async () => true } });
    // @ts-expect-error the services that its hooks use are missing
    defined({ name: 'shop', resources: { lines } });
    const zodded = resource({ schema: zod });
    // @ts-expect-error a model has a name
    const nameless = { resources: { zodded } } satisfies Parameters<typeof defineModel>[0];
    assert.ok(nameless.resources.zodded.schema === zod);
  });

  it('[VER-5a] its versions change its own resources', () => {
    const people = resource({ schema: Type.Object({ name: Type.String() }) });
    const defined = (model: ModelDefinition<object, { people: typeof people }>) => assert.ok(model.versions);
    const model = { name: 'shop', version: '2.0.0', resources: { people } };
    defined({ ...model, versions: { '1.0.0': { changes: [{ resource: 'people', absent: true }] } } });
    // @ts-expect-error there is no resource `persons`
    defined({ ...model, versions: { '1.0.0': { changes: [{ resource: 'persons', absent: true }] } } });
  });
});
