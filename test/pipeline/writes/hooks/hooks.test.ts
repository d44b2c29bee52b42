import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../../src/conventions/json/json.ts';
import { type DefinedModel, type ResourceCode, withServices } from '../../../../src/model/typescript/define-model.ts';
import { refuse } from '../../../../src/model/hooks.ts';
import { apiUnderTest } from '../../support/api-under-test.ts';
import { create } from '../../models/shop-model.ts';

interface Note {
  text: string;
  size: number | null;
  tag_id: string | null;
  tags: string[];
}

interface Tagged {
  readonly tags: readonly string[];
}

/** Notes with hooks, and tags that they refer to. The hooks record their calls in `log`. */
function notes(code: ResourceCode<Note, { readonly log: string[] }>, log: string[] = []): DefinedModel {
  const { resource, defineModel } = withServices<{ readonly log: string[] }>();
  return defineModel({
    name: 'desk',
    resources: {
      tags: resource({ id: 'client', schema: { type: 'object', properties: { name: { type: 'string' } } } }),
      notes: resource({
        id: 'client',
        schema: {
          type: 'object',
          required: ['text'],
          properties: {
            text: { type: 'string', minLength: 1 },
            size: { type: 'integer' },
            tags: { type: 'array', items: { type: 'string' } },
            tag_id: { type: 'string', 'x-references': { resource: 'tags', on_delete: 'cascade' } },
          },
        },
        ...code,
      }),
    },
    services: { log },
  });
}

const CREATED = { status: 201, events: ['note.created'] };

describe('a check', () => {
  it('runs for new values, all checks together, and reports errors by field', async () => {
    const asked: Json[] = [];
    const check = {
      text: async (value: string) => {
        asked.push(value);
        return Promise.resolve(value === 'bad' ? 'is bad' : null);
      },
      size: (value: number) => (asked.push(value), value < 0 ? 'is below zero' : null),
    };
    await using desk = await apiUnderTest(notes({ check }));
    await desk.row({ ...CREATED, send: 'POST /api/v1/notes', body: { id: 'a', text: 'x' } });
    assert.deepEqual(asked.splice(0), ['x']);
    const details = [
      { field: 'text', message: 'is bad' },
      { field: 'size', message: 'is below zero' },
    ];
    await desk.row({
      send: 'PUT /api/v1/notes/a',
      body: { text: 'bad', size: -1 },
      status: 400,
      has: { errorCode: 'NOTE_INVALID', details },
    });
    asked.splice(0);
    await desk.row({
      send: 'PATCH /api/v1/notes/a',
      body: { size: 2, text: 'x' },
      status: 200,
      events: ['note.updated'],
    });
    assert.deepEqual(asked, [2]);
  });

  it('does not run if the schema rejects the body', async () => {
    const log: string[] = [];
    await using desk = await apiUnderTest(
      notes({ check: { size: (_value, context) => (context.log.push('asked'), null) } }, log),
    );
    await desk.row({ send: 'POST /api/v1/notes', body: { id: 'a', text: '', size: 1 }, status: 400 });
    assert.deepEqual(log, []);
  });
});

describe('a before hook', () => {
  it('changes the draft of POST, PUT, PATCH and of an operation in a batch', async () => {
    const trim = (draft: Note): Note => ({ ...draft, text: draft.text.trim() });
    await using desk = await apiUnderTest(notes({ before: { create: trim, update: (draft) => trim(draft) } }));
    await desk.row({ ...CREATED, send: 'POST /api/v1/notes', body: { id: 'a', text: ' x ' }, has: { text: 'x' } });
    await desk.row({
      send: 'PUT /api/v1/notes/a',
      body: { text: ' y ' },
      status: 200,
      has: { text: 'y' },
      events: ['note.updated'],
    });
    await desk.row({ send: 'PATCH /api/v1/notes/a', body: { text: ' y ' }, status: 200, has: { text: 'y' } });
    await desk.row({ ...CREATED, send: 'PUT /api/v1/notes/b', body: { text: ' z ' }, has: { text: 'z' } });
    const operations = [{ method: 'POST', path: '/notes', body: { id: 'c', text: ' w ' } }];
    const made = await desk.row({ ...CREATED, send: 'POST /api/v1/batches', body: { operations } });
    assert.equal(made.body['results'][0].body.text, 'w');
  });

  it('may mutate the draft or leave it unchanged', async () => {
    await using desk = await apiUnderTest(
      notes({
        before: {
          create: () => undefined,
          update: (draft, _context, current) => ({ ...draft, size: Number(current.size) + 1 }),
        },
      }),
    );
    await desk.row({ ...CREATED, send: 'POST /api/v1/notes', body: { id: 'a', text: ' x ' }, has: { text: ' x ' } });
    await desk.row({
      send: 'PATCH /api/v1/notes/a',
      body: { text: 'y' },
      status: 200,
      has: { size: 1 },
      events: ['note.updated'],
    });
  });

  for (const [reason, status] of [
    ['INVALID', 400],
    ['CONFLICT', 409],
    ['FORBIDDEN', 403],
  ] as const) {
    it(`[ERR-2] ends a write with ${status} NOTE_${reason}`, async () => {
      const details = [{ field: 'text', message: 'is not wanted' }];
      await using desk = await apiUnderTest(
        notes({ before: { create: () => refuse(reason, 'Not this one; send another.', details) } }),
      );
      await desk.row({
        send: 'POST /api/v1/notes',
        body: { id: 'a', text: 'x' },
        status,
        has: { errorCode: `NOTE_${reason}`, errorMessage: 'Not this one; send another.', details },
      });
    });
  }

  const broken: readonly (readonly [title: string, create: (draft: Note) => Note])[] = [
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['returns a row that the schema rejects', (draft) => ({ ...draft, text: '' })],
    ['returns unknown fields', (draft) => Object.assign({ colour: 'red' }, draft)],
  ];
  for (const [title, hook] of broken) {
    it(`[ERR-7] that ${title} is a constant 500, with the cause in the log`, async () => {
      await using desk = await apiUnderTest(notes({ before: { create: hook } }));
      const { text } = await desk.row({
        send: 'POST /api/v1/notes',
        body: { id: 'a', text: 'x' },
        status: 500,
        has: { errorCode: 'SERVER_ERROR' },
      });
      assert.doesNotMatch(text, /secret|colour/);
      assert.equal(desk.observations.filter(({ kind }) => kind === 'error').length, 1);
    });
  }

  it('gets the caller, the time and the services of the application', async () => {
    const log: string[] = [];
    const create_ = (
      _draft: Note,
      context: {
        readonly log: string[];
        readonly at: string;
        readonly correlationId: string;
        readonly caller: { readonly subject: string | null };
      },
    ): void => {
      context.log.push(context.at, context.correlationId, String(context.caller.subject));
    };
    await using desk = await apiUnderTest(notes({ before: { create: create_ } }, log));
    await desk.row({
      ...CREATED,
      send: 'POST /api/v1/notes',
      headers: { 'X-Correlation-ID': 'mine' },
      body: { id: 'a', text: 'x' },
    });
    assert.deepEqual(log, ['2026-01-02T03:04:05.678Z', 'mine', 'null']);
  });

  it('[MET-14] runs in a dry run too', async () => {
    await using desk = await apiUnderTest(notes({ before: { create: (draft) => ({ ...draft, size: 7 }) } }));
    await desk.row({
      send: 'POST /api/v1/notes?dry_run=true',
      body: { id: 'a', text: 'x' },
      status: 200,
      has: { size: 7 },
    });
  });

  for (const [how, reads] of [
    ['was never read', 0],
    ['is cached', 3],
  ] as const) {
    it(`gets an immutable row if that row ${how}`, async () => {
      const changes: boolean[] = [];
      const change = (row: Tagged): void => {
        changes.push(Reflect.set(row, 'text', 'z') || Reflect.set(row.tags, 0, 'z'));
      };
      const before = {
        update: (_draft: Note, _context: unknown, current: Tagged) => change(current),
        delete: change,
      };
      await using desk = await apiUnderTest(notes({ before }));
      await desk.row({ ...CREATED, send: 'POST /api/v1/notes', body: { id: 'a', text: 'x', tags: ['b', 'a'] } });
      for (let read = 0; read < reads; read += 1) await desk.send({ send: 'GET /api/v1/notes/a' });
      const has = { tags: ['b', 'a'] };
      await desk.row({
        send: 'PATCH /api/v1/notes/a',
        body: { text: 'y' },
        status: 200,
        has,
        events: ['note.updated'],
      });
      await desk.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['note.deleted'] });
      assert.deepEqual(changes, [false, false]);
    });
  }

  it('[MET-4d] may refuse the delete of a row, also in a cascade', async () => {
    const keep = ({ text }: { readonly text: string }): void => {
      if (text === 'kept') refuse('CONFLICT', 'It is kept.');
    };
    await using desk = await apiUnderTest(notes({ before: { delete: keep } }));
    await create(desk, 'tags', { id: 't' });
    await create(desk, 'notes', { id: 'a', text: 'kept', tag_id: 't' });
    await desk.row({ send: 'DELETE /api/v1/notes/a', status: 409, has: { errorCode: 'NOTE_CONFLICT' } });
    await desk.row({ send: 'DELETE /api/v1/tags/t', status: 409, has: { errorCode: 'NOTE_CONFLICT' } });
    await desk.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'x' }, status: 200, events: ['note.updated'] });
    await desk.row({ send: 'DELETE /api/v1/tags/t', status: 204, events: ['note.deleted', 'tag.deleted'] });
  });
});

describe('a computed member', () => {
  const length = {
    schema: { type: 'integer' },
    from: ['text'],
    value: ({ text }: { text: string }) => text.length,
  } as const;

  it('[REP-1] follows the fields in every format, and is not part of events', async () => {
    await using desk = await apiUnderTest(notes({ computed: { length } }));
    const made = await desk.row({
      ...CREATED,
      send: 'POST /api/v1/notes',
      body: { id: 'a', text: 'four', length: 99 },
    });
    assert.deepEqual(Object.keys(made.body), [
      'id',
      'text',
      'size',
      'tags',
      'tag_id',
      'length',
      'created_at',
      'updated_at',
      'revision',
      'links',
    ]);
    assert.equal(made.body['length'], 4);
    const csv = await desk.row({ send: 'GET /api/v1/notes', headers: { Accept: 'text/csv' }, status: 200 });
    assert.match(csv.text, /^id,text,size,tags,tag_id,length,created_at,updated_at,revision\r\na,four,,\[\],,4,/);
    assert.match(
      (await desk.row({ send: 'GET /api/v1/notes/a', headers: { Accept: 'application/xml' }, status: 200 })).text,
      /<length>4<\/length>/,
    );
  });

  it('[REP-6] is ignored in XML and forms too', async () => {
    await using desk = await apiUnderTest(notes({ computed: { length } }));
    await desk.row({
      ...CREATED,
      send: 'POST /api/v1/notes',
      headers: { 'Content-Type': 'application/xml' },
      body: '<note><id>a</id><text>x</text><length>9</length></note>',
      has: { length: 1 },
    });
  });

  it('[CACHE-1] changes the ETags when its code changes', async () => {
    const tags: string[] = [];
    for (const value of [
      ({ text }: { text: string }) => text.length,
      ({ text }: { text: string }) => text.length + 1,
    ]) {
      await using desk = await apiUnderTest(notes({ computed: { length: { ...length, value } } }));
      await create(desk, 'notes', { id: 'a', text: 'x' });
      tags.push((await desk.row({ send: 'GET /api/v1/notes/a', status: 200 })).headers.get('etag') ?? '');
    }
    assert.notEqual(tags[0], tags[1]);
  });
});
