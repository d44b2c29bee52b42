import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE_GROUPS } from '../../scripts/site/page-groups.ts';
import { llmsText, readSite } from '../../scripts/site/site-pages.ts';

describe('the index of the site', () => {
  it('has each page of docs/ once, with its title', () => {
    const pages = readSite().flatMap((group) => group.pages);
    assert.ok(pages.length > 80, String(pages.length));
    assert.equal(new Set(pages.map((page) => page.path)).size, pages.length);
    for (const page of pages) assert.ok(page.title !== page.path && page.title !== '', page.path);
  });

  it('is refused without one of the pages, and with a page that does not exist', () => {
    const [first, ...others] = PAGE_GROUPS;
    assert.ok(first !== undefined);
    assert.throws(() => readSite(others), /in no group of scripts\/site\/page-groups\.ts: guides\/command-line, /);
    const wrong = { title: 'Wrong', pages: ['guides/nothing'] };
    assert.throws(() => readSite([...PAGE_GROUPS, wrong]), /not in docs\/: guides\/nothing/);
  });

  it('is llms.txt, with the first sentence of each page that begins with one', () => {
    const text = llmsText(readSite(), '/docs/');
    assert.match(text, /^# Restwright\n\n> Declare resources in a file/);
    assert.match(
      text,
      /^- \[Webhooks\]\(\/docs\/guides\/webhooks\.md\): A webhook receives the events of an API by HTTP: /m,
    );
    assert.match(text, /^- \[HTTP caching\]\(\/docs\/guides\/caching\.md\): Every 200 response /m);
  });
});
