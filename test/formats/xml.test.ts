import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/conventions/errors.ts';
import { readXml, writeXml } from '../../src/formats/xml.ts';
import type { ObjectType } from '../../src/formats/typed-reader.ts';
import { typedValue } from './typed-values.ts';

const body = (xml: string): string =>
  xml.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<a [^>]*?>(.*)<\/a>$/s, '$1');

describe('writeXml', () => {
  it('[NEG-4] writes an element for each member, item for each item and xsi:nil for null', () => {
    assert.equal(
      writeXml('a', { b: 1, c: [true, null], d: { e: 'f' } }),
      '<?xml version="1.0" encoding="UTF-8"?>\n<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b>1</b>' +
        '<c><item>true</item><item xsi:nil="true"/></c><d><e>f</e></d></a>',
    );
  });

  it('[NEG-4] escapes markup, keeps CR, and writes characters that XML does not allow as base64', () => {
    assert.equal(body(writeXml('a', { b: '<&>"\r\n' })), '<b>&lt;&amp;&gt;"&#13;\n</b>');
    assert.equal(body(writeXml('a', { b: '\u0001' })), '<b encoding="base64">AQ==</b>');
    assert.equal(body(writeXml('a', { b: '😀' })), '<b>😀</b>');
  });
});

const LIMITS = { depth: 32, items: 10_000 };
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const optional = { nullable: true, required: false } as const;
const TEXT = { kind: 'text', format: null } as const;
const PRODUCT: ObjectType = {
  kind: 'object',
  members: [
    { name: 'name', type: TEXT, ...optional },
    { name: 'stock', type: { kind: 'integer' }, ...optional },
    { name: 'fragile', type: { kind: 'boolean' }, ...optional },
    { name: 'tags', type: { kind: 'array', item: { type: TEXT, nullable: false } }, ...optional },
    { name: 'address', type: { kind: 'object', members: [{ name: 'city', type: TEXT, ...optional }] }, ...optional },
    { name: 'labels', type: { kind: 'map', value: { type: TEXT, nullable: false } }, ...optional },
  ],
};

function read(xml: string | Uint8Array, limits = LIMITS): unknown {
  return readXml(typeof xml === 'string' ? new TextEncoder().encode(xml) : xml, 'product', PRODUCT, limits);
}

describe('readXml', () => {
  it('[NEG-4] round-trips any value', () => {
    fc.assert(
      fc.property(typedValue(), ({ type, value }) => {
        const xml = writeXml('a', value, type);
        assert.deepEqual(readXml(new TextEncoder().encode(xml), 'a', type, LIMITS), value, xml);
      }),
      { numRuns: 500 },
    );
  });

  const taken: readonly (readonly [title: string, xml: string, value: object])[] = [
    [
      'types leaf elements by the schema',
      '<product><name>5</name><stock> 5 </stock><fragile>true</fragile></product>',
      { name: '5', stock: 5, fragile: true },
    ],
    ['omits absent members', '<product/>', {}],
    [
      'reads empty elements by the schema',
      '<product><name/><tags/><address/><labels/></product>',
      { name: '', tags: [], address: {}, labels: {} },
    ],
    [
      'reads xsi:nil under any prefix',
      '<product xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><name i:nil="true"/><stock i:nil="1"/></product>',
      { name: null, stock: null },
    ],
    [
      'reads lists and nested elements, white space around them',
      '<product>\n <tags>\n <item>a</item>\n <item/>\n </tags>\n <address><city> Oslo </city></address></product>',
      { tags: ['a', ''], address: { city: ' Oslo ' } },
    ],
    [
      'reads a map by entries and by names',
      '<product><labels><entry key="a b">1</entry><color>red</color><entry key="AQ==" key-encoding="base64">x</entry></labels></product>',
      { labels: { 'a b': '1', color: 'red', '\u0001': 'x' } },
    ],
    [
      'reads CDATA, comments, references and a BOM',
      '\ufeff<?xml version="1.0" encoding="utf-8"?><product><!-- c --><name><![CDATA[<&]]>&amp;&#x41;&#13;</name></product>',
      { name: '<&&A\r' },
    ],
    [
      'keeps a byte order mark in base64',
      '<product><name encoding="base64">77u/YQ==</name></product>',
      { name: '\ufeffa' },
    ],
    [
      'keeps unknown members, for validation',
      '<product><unknown>1</unknown><more><a>1</a></more><list><item>1</item></list></product>',
      { unknown: '1', more: { a: '1' }, list: ['1'] },
    ],
    [
      'keeps values of another type, for validation',
      '<product><stock>many</stock><tags>a</tags><name><b>1</b></name></product>',
      { stock: 'many', tags: 'a', name: { b: '1' } },
    ],
    [
      'ignores attributes of XML itself',
      `<product ${XSI} xsi:schemaLocation="a b" xml:lang="en"><name xml:space="preserve"> </name></product>`,
      { name: ' ' },
    ],
  ];
  for (const [title, xml, value] of taken) {
    it(`[NEG-4] ${title}`, () => assert.deepEqual(read(xml), value));
  }

  const refused: readonly (readonly [title: string, xml: string | Uint8Array, says: RegExp])[] = [
    ['white space', ' \n', /empty/],
    ['plain text', 'hello', /line 1, column \d+: not well-formed/],
    ['another root element', '<item/>', /root element must be product/],
    ['text in the root', '<product>x</product>', /an element for each field/],
    ['an unclosed element', '<product><name>', /not well-formed/],
    ['two root elements', '<product/><product/>', /not well-formed/],
    ['overlapping elements', '<product><a><b></a></b></product>', /not well-formed/],
    ['a duplicate attribute', '<product a="1" a="2"/>', /not well-formed/],
    ['an unknown entity', '<product><name>&nbsp;</name></product>', /not well-formed/],
    ['a character that XML does not allow', '<product><name>&#1;</name></product>', /not well-formed/],
    ['a document type', '<!DOCTYPE product><product/>', /a document type is not allowed/],
    [
      'a billion laughs',
      '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><product><name>&b;</name></product>',
      /a document type is not allowed/,
    ],
    [
      'an external entity',
      '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><product><name>&x;</name></product>',
      /a document type is not allowed/,
    ],
    ['a processing instruction', '<?php x?><product/>', /processing instruction/],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><product/>', /UTF-8/],
    ['invalid UTF-8', new Uint8Array([0x3c, 0xff]), /not valid UTF-8/],
    ['another version of XML', '<?xml version="1.1"?><product/>', /XML 1\.0/],
    [
      'a duplicate element',
      '<product><name>a</name><name>b</name></product>',
      /line 1, column \d+: duplicate member name/,
    ],
    [
      'text next to elements',
      '<product><address>x<city>Oslo</city></address></product>',
      /either text or other elements/,
    ],
    [
      'other elements in a list',
      '<product><tags><item>a</item><tag>b</tag></tags></product>',
      /must be a list of <item> elements/,
    ],
    ['nil with content', `<product ${XSI}><name xsi:nil="true">a</name></product>`, /nil must be empty/],
    ['an unknown attribute', '<product><name type="x">a</name></product>', /unknown attribute type/],
    ['another namespace', '<product xmlns="http://example.com/"><name>a</name></product>', /must not have a namespace/],
    ['invalid base64', '<product><name encoding="base64">*</name></product>', /not valid base64/],
    ['base64 of invalid UTF-8', '<product><name encoding="base64">/w==</name></product>', /not valid UTF-8/],
    ['base64 of NUL', '<product><name encoding="base64">AA==</name></product>', /NUL/],
    ['another encoding attribute', '<product><name encoding="hex">00</name></product>', /must be base64/],
    ['a prototype name', '<product><labels><entry key="__proto__">1</entry></labels></product>', /__proto__/],
    ['a key attribute on a field', '<product><name key="x">1</name></product>', /only an entry may have a key/],
    ['too many levels', `<product>${'<a>'.repeat(100_000)}`, /nested more than 32 levels/],
  ];
  for (const [title, xml, says] of refused) {
    it(`[NEG-4] [REP-7] refuses ${title}`, () => {
      assert.throws(
        () => read(xml),
        (error) => error instanceof ApiError && error.status === 400 && says.test(error.message),
      );
    });
  }

  it('[LIM-1] refuses a list of more items than the limit', () => {
    const xml = `<product><tags>${'<item/>'.repeat(4)}</tags></product>`;
    assert.throws(() => read(xml, { depth: 32, items: 3 }), /at most 3/);
    assert.deepEqual(read(xml, { depth: 32, items: 7 }), { tags: ['', '', '', ''] });
  });
});
