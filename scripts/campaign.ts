// `npm run campaign -- --requests 100000 --seed 1`: random requests, each response compared with the contract. Exit
// code 1 if one differs.
import process from 'node:process';
import { parseArgs, styleText } from 'node:util';
import { runCampaign, type CampaignResult } from './campaign/run-campaign.ts';
import { serveModel } from './campaign/serve-model.ts';
import { endProgress, progressBar } from './progress-bar.ts';

/** Findings of one rule that are printed. */
const SHOWN = 2;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('usage: npm run campaign -- [--requests 10000] [--seed 1]\n');
  process.exit(2);
}

const start = performance.now();
const bar = progressBar();
await using server = await serveModel();
const result = await runCampaign({ ...server, requests, seed, onProgress: showProgress });
endProgress();
process.stdout.write(table(result));
for (const text of findings(result)) process.stdout.write(text);
process.exitCode = result.findings.length === 0 ? 0 : 1;

function showProgress(done: number, found: number): void {
  const share = Math.min(1, done / requests);
  const rate = Math.round(done / ((performance.now() - start) / 1000));
  const left = Math.ceil((requests - done) / rate);
  const count = `${done.toLocaleString('en-US')} requests`;
  bar(share, `${Math.floor(share * 100)} %, ${count}, ${rate}/s, ${left} s left, ${found} findings`);
}

function table({ counts, findings: found, requests: sent, rows }: CampaignResult): string {
  const lines = [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, count]): readonly [string, number, number] => {
      const own = found.filter(({ what }) => what.startsWith(`${name}:`)).length;
      return [name, count, own];
    });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const body = [['scenario', 'requests', 'findings'] as const, ...lines, ['all', sent, found.length] as const]
    .map(([name, count, own]) => `${name.padEnd(20)}${column(count)}${column(own)}\n`)
    .join('');
  return `${body}seed ${seed}, ${seconds} s, ${rows} rows at the end\n`;
}

function column(value: string | number): string {
  return (typeof value === 'number' ? value.toLocaleString('en-US') : value).padStart(12);
}

/** A few findings of each rule, with the request as a curl command. */
function findings({ findings: found }: CampaignResult): readonly string[] {
  return [...Map.groupBy(found, ({ rule }) => rule)].map(([rule, all]) => {
    const examples = all
      .slice(0, SHOWN)
      .map(
        ({ what, curl, request, response }) =>
          `  ${what}\n  request ${request} of seed ${seed}:\n    ${curl}\n  response: ${response.replaceAll('\n', '\n    ')}\n`,
      );
    return `\n${styleText('red', rule)} (${all.length})\n${examples.join('')}`;
  });
}
