import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../../src/conventions/json/json.ts';
import { runs } from '../../extent.ts';
import { apiUnderTest, type ApiUnderTest } from '../support/api-under-test.ts';

const MODEL = `
name: notes
version: 1.0.0
limits: { rate: false }
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        tags: { type: array, items: { type: string } }
        marks: { type: object, additionalProperties: { type: string } }
        place: { type: object, properties: { city: { type: string } } }
`;

/** The values of a note: a text wherever one can be. */
interface Note {
  readonly text: string;
  readonly tags: readonly string[];
  readonly marks: Readonly<Record<string, string>>;
  readonly place: { readonly city: string };
}

type Ways = Readonly<Record<string, (api: ApiUnderTest, id: string, note: Note) => Promise<boolean>>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const xml = (tag: string, text: string, attributes = ''): string =>
  `<${tag}${attributes} encoding="base64">${base64(text)}</${tag}>`;

async function isCreated(api: ApiUnderTest, type: string, body: string | Uint8Array): Promise<boolean> {
  const { status, text } = await api.send({ send: 'POST /api/v1/notes', headers: { 'Content-Type': type }, body });
  assert.ok(status === 201 || status === 400, text);
  return status === 201;
}

async function isImported(api: ApiUnderTest, rows: readonly Json[]): Promise<boolean> {
  return (await api.api.importRows('notes', rows)).kind === 'stored';
}

/** The ways that every text can take. */
const WAYS: Ways = {
  JSON: (api, id, note) => isCreated(api, 'application/json', JSON.stringify({ id, ...note })),
  PUT: async (api, id, note) => {
    const { status } = await api.send({ send: `PUT /api/v1/notes/${id}`, body: JSON.stringify(note) });
    return status === 201;
  },
  NDJSON: async (api, id, note) => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const { text } = await api.send({ send: 'POST /api/v1/notes', headers, body: JSON.stringify({ id, ...note }) });
    return text.includes('"status":201');
  },
  batch: async (api, id, note) => {
    const body = JSON.stringify({ operations: [{ method: 'POST', path: '/notes', body: { id, ...note } }] });
    return (await api.send({ send: 'POST /api/v1/batches', body })).status === 201;
  },
  import: (api, id, { tags, marks, place, ...note }) =>
    isImported(api, [{ id, ...note, tags: [...tags], marks: { ...marks }, place: { ...place } }]),
};

/** The ways of bytes in UTF-8, which lone surrogates cannot take. */
const UTF8_WAYS: Ways = {
  form: (api, id, { text, tags, marks, place }) => {
    const pairs = [
      ['id', id],
      ['text', text],
      ...tags.map((tag) => ['tags[]', tag]),
      // Keys are encoded twice.
      ...Object.entries(marks).map(([key, value]) => [`marks[${key === '' ? '%' : encodeURIComponent(key)}]`, value]),
      ['place[city]', place.city],
    ];
    const empty = Object.keys(marks).length === 0 ? '&marks[]' : '';
    const body = pairs.map((pair) => pair.map((each) => encodeURIComponent(each)).join('=')).join('&') + empty;
    return isCreated(api, 'application/x-www-form-urlencoded', body);
  },
  multipart: (api, id, { text, tags, marks, place }) => {
    const parts = [['id', id], ['text', text], ...tags.map((tag) => ['tags[]', tag]), ['place[city]', place.city]].map(
      ([name, value]) => `--b-b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const json = '--b-b\r\nContent-Disposition: form-data; name="marks"\r\nContent-Type: application/json\r\n\r\n';
    const body = `${parts.join('')}${json}${JSON.stringify(marks)}\r\n--b-b--\r\n`;
    return isCreated(api, 'multipart/form-data; boundary=b-b', body);
  },
  XML: (api, id, { text, tags, marks, place }) => {
    const entry = ([key, value]: readonly [string, string]): string =>
      xml('entry', value, ` key="${base64(key)}" key-encoding="base64"`);
    const list = `<tags>${tags.map((tag) => xml('item', tag)).join('')}</tags>`;
    const map = `<marks>${Object.entries(marks).map(entry).join('')}</marks>`;
    const fields = `<id>${id}</id>${xml('text', text)}${list}${map}<place>${xml('city', place.city)}</place>`;
    return isCreated(api, 'application/xml', `<note>${fields}</note>`);
  },
  CSV: async (api, id, { text, tags, marks, place }) => {
    const cell = (value: string): string => `"${value.replaceAll('"', '""')}"`;
    // An apostrophe keeps spreadsheets from evaluating a formula.
    const shown = (value: string): string =>
      cell(/^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value);
    const cells = [cell(id), shown(text), cell(JSON.stringify(tags)), cell(JSON.stringify(marks)), shown(place.city)];
    try {
      const row = api.api.csv('notes').reader('id,text,tags,marks,place.city')(cells.join(','));
      return await isImported(api, [row]);
    } catch (error) {
      assert.match(String(error), /REQUEST_BODY_MALFORMED|Malformed/);
      return false;
    }
  },
};

// Boundaries of what I-JSON allows, and what formats treat in a way of their own.
const CHARACTERS = [
  ['\0', '\u0001', '\u001f', '\u007f', '\u0085', '\ud7ff', '\ud800', '\udfff', '\ue000', '\ufdcf', '\ufdd0'],
  ['\ufdef', '\ufdf0', '\ufeff', '\ufffd', '\ufffe', '\uffff', '\u{10000}', '\u{1fffe}', '\u{10fffd}', '\u{10ffff}'],
  ['a', '"', "'", '=', ',', '\r', '\n', '\t', '<', '&', '%', '[', ']', ' ', 'é', '😀', '\u2028'],
].flat();
const character = fc.constantFrom(...CHARACTERS);
const word = fc.array(character, { minLength: 1, maxLength: 3 }).map((each) => each.join(''));
const note: fc.Arbitrary<Note> = fc.record(
  {
    text: word,
    tags: fc.array(word, { maxLength: 2 }),
    marks: fc.dictionary(fc.oneof(fc.constantFrom('k'), word), word, { maxKeys: 2, noNullPrototype: true }),
    place: fc.record({ city: word }, { noNullPrototype: true }),
  },
  { noNullPrototype: true },
);

function isAllowed(value: Note): boolean {
  const texts = [value.text, ...value.tags, ...Object.entries(value.marks).flat(), value.place.city];
  return texts.every((text) =>
    Array.from(text, (each) => each.codePointAt(0) ?? 0).every(
      (code) =>
        code !== 0 &&
        (code & 0xfffe) !== 0xfffe &&
        !(code >= 0xfdd0 && code <= 0xfdef) &&
        !(code >= 0xd800 && code <= 0xdfff),
    ),
  );
}

async function readNote(api: ApiUnderTest, id: string): Promise<unknown> {
  const { status, body } = await api.send({ send: `GET /api/v1/notes/${id}` });
  assert.equal(status, 200);
  const { text, tags, marks, place } = body;
  return { text, tags, marks, place };
}

describe('a text', () => {
  it('[REP-7] [NEG-1] is accepted on every way in, or on none, and comes back from an export', async () => {
    await using api = await apiUnderTest(MODEL);
    await using copy = await apiUnderTest(MODEL);
    let next = 0;
    const law = fc.asyncProperty(note, async (value) => {
      const isUtf8 = JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(value));
      for (const [way, take] of Object.entries({ ...WAYS, ...(isUtf8 ? UTF8_WAYS : {}) })) {
        const id = `n${next++}`;
        assert.equal(await take(api, id, value), isAllowed(value), way);
        if (!isAllowed(value)) continue;
        assert.deepEqual(await readNote(api, id), value, way);
      }
    });
    await fc.assert(law, { numRuns: runs(60, 1_000) });
    const csv = api.api.csv('notes');
    const read = csv.reader(csv.writer.header.trimEnd());
    for await (const rows of (await api.api.exportRows('notes')).pages) {
      const records = rows.map((row) => read(csv.writer.rows([row]).trimEnd()));
      assert.equal((await copy.api.importRows('notes', records)).kind, 'stored');
      for (const { id } of rows)
        assert.deepEqual(await readNote(copy, id as string), await readNote(api, id as string));
    }
  });

  it('[REP-7] [URL-3] is no id in a path, a body or a file where it is no text', async () => {
    await using api = await apiUnderTest(MODEL);
    for (const id of ['a\uffff', '\ufdd0', 'b\u{1ffff}']) {
      const put = await api.send({ send: `PUT /api/v1/notes/${encodeURIComponent(id)}`, body: {} });
      assert.equal(put.status, 404, put.text);
      const post = await api.send({ send: 'POST /api/v1/notes', body: `id=${encodeURIComponent(id)}`, headers: FORM });
      assert.equal(post.status, 400, post.text);
      const imported = await api.api.importRows('notes', [{ id }]);
      assert.deepEqual(imported.kind === 'refused' && imported.errors[0]?.details, [{ field: 'id', message: MESSAGE }]);
    }
    assert.equal((await api.send({ send: `PUT /api/v1/notes/${encodeURIComponent('\ufffd')}`, body: {} })).status, 201);
  });
});

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const MESSAGE = 'must not contain NUL, lone surrogates or Unicode noncharacters';
