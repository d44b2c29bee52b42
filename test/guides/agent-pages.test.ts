import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LLMS_PAGE, llmsPage, SKILL_PAGE, skillPage } from '../../scripts/agent-pages.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { readPage } from './guide-pages.ts';

describe('the pages for agents', () => {
  it('are made of the guides as they are', () => {
    const stale = 'stale: run node scripts/run.mjs scripts/agent-pages.ts';
    assert.equal(readPage(LLMS_PAGE), llmsPage(), stale);
    assert.equal(readPage(SKILL_PAGE), skillPage(), stale);
  });

  it('teach to write a model, check, serve and migrate, in a text that a model reads whole', () => {
    const skill = skillPage();
    assert.match(skill, /^---\nname: restwright\ndescription: .{40,1000}\n---\n/);
    for (const command of ['init', 'check', 'serve', 'migrate']) assert.ok(skill.includes(`restwright ${command}`));
    assert.ok(skill.length < 10_000);
  });

  it('[OPS-8a] name every tool and its arguments in the guide', () => {
    const guide = readPage('docs/guides/agents.md');
    for (const { name, inputs, unlisted = {} } of TOOLS) {
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? assert.fail(name);
      for (const argument of Object.keys({ ...inputs, ...unlisted })) assert.ok(row.includes(`\`${argument}\``), row);
    }
  });
});
