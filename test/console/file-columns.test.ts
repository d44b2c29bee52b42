import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createBodyReader,
  listTargets,
  proposeMapping,
  readColumns,
} from '../../console/src/collections/transfer/file-columns.ts';
import { detectForm, readRecords } from '../../console/src/collections/transfer/read-rows.ts';
import { splitCells } from '../../console/src/collections/transfer/split-cells.ts';
import type { ApiCollection } from '../../console/src/schema/api-schema.ts';
import { readSchema } from '../../console/src/schema/read-schema.ts';
import { describeNewest } from '../describe/openapi/described.ts';

/** The collection of a model with fields of every kind. */
function products(): ApiCollection {
  const found = readSchema(describeNewest(MODEL)).collections.get('products');
  assert.ok(found !== undefined);
  return found;
}

const MODEL = `
name: shop
resources:
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        unit_price: { type: number }
        code: { type: string, format: int64 }
        sold: { type: boolean, default: false }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string }, floor: { type: integer } } }
        status: { type: string, enum: [DRAFT, ACTIVE], default: DRAFT }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE] } }
`;

/** The bodies of all rows of a file, with the mapping that is proposed. */
async function readBodies(content: string | Uint8Array<ArrayBuffer>, name: string): Promise<readonly unknown[]> {
  const file = new File([content], name);
  const form = await detectForm(file);
  const targets = listTargets(products());
  const mapping = proposeMapping(await readColumns(file, form, 'products'), targets);
  const records = [];
  for await (const record of readRecords(file, form, 'products')) records.push(record);
  const header = form.format === 'csv' ? (records.shift()?.text ?? '') : '';
  const read = createBodyReader(form, header, { mapping, targets });
  return records.map((record) => read(record));
}

describe('the cells of a record of CSV', () => {
  it('are null if they are empty, and texts without the apostrophe of a formula', () => {
    assert.deepEqual(splitCells('a,,"","x ""y"", z",\'=1+1', ','), ['a', null, '', 'x "y", z', '=1+1']);
    assert.deepEqual(splitCells('"two\r\nlines";b;', ';'), ['two\r\nlines', 'b', null]);
    assert.deepEqual(splitCells('"not closed', ','), ['not closed']);
    assert.deepEqual(splitCells('"""",x', ','), ['"', 'x']);
  });
});

describe('the rows of a file', () => {
  it('of CSV have values of the kinds of their fields, whatever encoding, separator and titles it has', async () => {
    const csv =
      'sep=;\r\nName;Unit price;SOLD;place.city;place.floor;tags;revision\r\n"a;b";1.5;TRUE;Oslo;2;"[""x""]";7\r\n;much;;;;;\r\n';
    const expected = [
      { name: 'a;b', unit_price: 1.5, sold: true, place: { city: 'Oslo', floor: 2 }, tags: ['x'] },
      { unit_price: 'much', sold: null, place: null, tags: null },
    ];
    const bodies = await readBodies(csv, 'rows.csv');
    assert.deepEqual(
      bodies.map((body) => JSON.parse(JSON.stringify(body))),
      expected,
    );
    const wide = new Uint8Array(Buffer.from(`\uFEFF${csv}`, 'utf16le'));
    assert.deepEqual(await readBodies(wide, 'rows.csv'), bodies);
  });

  it('of CSV keep the digits of numbers that a double cannot hold, which the server refuses', async () => {
    const bodies = await readBodies('name,unit_price\na,12345678901234567890\nb,-0.5\n', 'rows.csv');
    assert.deepEqual(bodies, [
      { name: 'a', unit_price: '12345678901234567890' },
      { name: 'b', unit_price: -0.5 },
    ]);
  });

  it('of CSV are none if their cells are not as many as the columns', async () => {
    assert.deepEqual(await readBodies('name,sold\na\nb,true\n', 'rows.csv'), [undefined, { name: 'b', sold: true }]);
  });

  it('of NDJSON and JSON have their members, with the digits of long integers', async () => {
    const rows = ['{"name":"a","code":12345678901234567890}', '{"name":"b","unknown":1,"id":"x"}'];
    const expected = [{ name: 'a', code: '12345678901234567890' }, { name: 'b' }];
    assert.deepEqual(await readBodies(rows.join('\n'), 'rows.ndjson'), expected);
    assert.deepEqual(await readBodies(`[${rows.join(',')}]`, 'rows.json'), expected);
    assert.deepEqual(await readBodies(`{"others":[1],"products":[${rows.join(',')}]}`, 'rows'), expected);
    assert.deepEqual(await readBodies('{"name":\n[1]', 'rows.ndjson'), [undefined, undefined]);
  });

  it('fill no field that the server or a transition sets', () => {
    assert.deepEqual(
      listTargets(products()).map(({ path }) => path),
      ['name', 'unit_price', 'code', 'sold', 'tags', 'place', 'place.city', 'place.floor'],
    );
  });
});
