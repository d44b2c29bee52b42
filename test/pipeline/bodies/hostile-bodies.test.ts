import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { apiUnderTest } from '../support/api-under-test.ts';
import { SHOP } from '../models/shop-model.ts';
import { runs } from '../../extent.ts';

const TYPES = [
  'application/json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'application/x-ndjson',
];
const TARGETS = ['POST /products', 'POST /notes', 'PUT /notes/a', 'PATCH /notes/a', 'POST /batches', 'QUERY /notes'];

/** Fragments of bodies of each media type. */
const pieces = fc.constantFrom(
  '<product>',
  '</product>',
  '<note>',
  '</note>',
  '<id>',
  '</id>',
  '<tags><item>',
  '</item></tags>',
  '<size/>',
  '&amp;',
  '<![CDATA[',
  ']]>',

  '<labels><entry key="x">',
  '</entry></labels>',
  '<revision>',
  '</revision>',
  ' xsi:nil="true"',
  '<!DOCTYPE a>',
  '<?a?>',
  'id=a',
  '&',
  'name=',
  'tags[]',
  '=',
  'labels[x]',
  '[0]',
  'size[unit]=mm',
  '%',
  '+',
  '%00',
  '__proto__=1',

  '--b',
  '--b--',
  '\r\n',
  '\r\n\r\n',
  'Content-Disposition: form-data; name="id"',
  'Content-Type: application/json',
  '; filename="x"',
  '{',
  '}',
  '"id"',
  ':',
  '"a"',
  ',',
  '[',
  ']',
  'null',
  '1',
  '\n',
  '{"id":"a"}',
  '\0',
  'é',
  '\ud800',

  '[{"op":"add","path":"/text","value":"x"}]',
  '{"operations":[{"method":"POST","path":"/notes","body":{"id":"b"}}]}',
);

describe('a body of random bytes', () => {
  it('[ERR-1] [REP-7] is accepted or rejected in any format, never a server error', async () => {
    await using shop = await apiUnderTest(SHOP);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TYPES),
        fc.constantFrom(...TARGETS),
        fc.array(pieces, { maxLength: 14 }),
        fc.constantFrom('*/*', 'application/xml', 'text/plain'),
        fc.option(fc.constantFrom('1', '2')),
        async (type, target, parts, accept, key) => {
          const headers = { 'Content-Type': type, Accept: accept, ...(key === null ? {} : { 'Idempotency-Key': key }) };
          const { status, text } = await shop.send({
            send: target.replace(' ', ' /api/v1'),
            headers,
            body: parts.join(''),
          });
          assert.ok(status < 500, text);
          assert.doesNotMatch(text, /"status":5\d\d/);
        },
      ),
      { numRuns: runs(300, 5_000) },
    );
    assert.deepEqual(
      shop.observations.filter(({ kind }) => kind === 'error'),
      [],
    );
  });
});
