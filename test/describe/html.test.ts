import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Html, html } from '../../src/describe/html.ts';

describe('html', () => {
  it('escapes text, for elements and for attributes', () => {
    const { text } = html`<a title="${`"'`}">${'<b>&amp;'}</a>`;
    assert.equal(text, '<a title="&quot;&#39;">&lt;b&gt;&amp;amp;</a>');
  });

  it('keeps markup, and lists of markup', () => {
    const items = ['a', '<'].map((each) => html`<li>${each}</li>`);
    assert.equal(html`<ul>${items}${new Html('<li>')}${1}</ul>`.text, '<ul><li>a</li><li>&lt;</li><li>1</ul>');
  });

  it('replaces what no page can contain', () => {
    assert.equal(html`${'a\0b'}`.text, 'a\uFFFDb');
  });

  it('lets no text become markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { text: markup } = html`${text}`;
        assert.doesNotMatch(markup, /[<>"'\0]/);
        assert.doesNotMatch(markup, /&(?!(?:amp|lt|gt|quot|#39);)/);
      }),
    );
  });
});
