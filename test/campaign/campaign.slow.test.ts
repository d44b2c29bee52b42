import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCampaign } from '../../scripts/campaign/run-campaign.ts';
import { serveModel } from '../../scripts/campaign/serve-model.ts';

/** About ten seconds. */
const REQUESTS = 8_000;
const SEED = 23;

describe('the campaign of random requests', () => {
  it('[ERR-1] [ERR-7] [CACHE-1] [PAGE-1] finds no response that the contract does not allow', async () => {
    await using server = await serveModel();
    const { findings, counts } = await runCampaign({ ...server, requests: REQUESTS, seed: SEED });
    const texts = findings.map(({ rule, what, curl, response }) => `${rule}\n${what}\n${curl}\n${response}\n`);
    assert.equal(
      texts.length,
      0,
      `${texts.length} findings: npm run campaign -- --seed ${SEED}\n${texts.slice(0, 10).join('\n')}`,
    );
    assert.equal(counts.size, 11, 'every scenario was run');
  });
});
