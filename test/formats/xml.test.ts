import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeXml } from '../../src/formats/xml.ts';

const body = (xml: string): string =>
  xml.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<a [^>]*?>(.*)<\/a>$/s, '$1');

describe('XML', () => {
  it('[NEG-4] has an element for each member, item for each item and xsi:nil for null', () => {
    assert.equal(
      writeXml('a', { b: 1, c: [true, null], d: { e: 'f' } }),
      '<?xml version="1.0" encoding="UTF-8"?>\n<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b>1</b>' +
        '<c><item>true</item><item xsi:nil="true"/></c><d><e>f</e></d></a>',
    );
  });

  it('[NEG-4] escapes what has a meaning, keeps CR, and sends as base64 what XML cannot hold', () => {
    assert.equal(body(writeXml('a', { b: '<&>"\r\n' })), '<b>&lt;&amp;&gt;"&#13;\n</b>');
    assert.equal(body(writeXml('a', { b: '\u0001' })), '<b encoding="base64">AQ==</b>');
    assert.equal(body(writeXml('a', { b: '😀' })), '<b>😀</b>');
  });
});
