import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ERRORS_PAGE, errorsPage } from '../scripts/errors-page.ts';
import { errorProse, resourceErrorProse } from '../scripts/errors-prose.ts';
import { errors, resourceErrors } from '../src/conventions/errors.ts';

const root = path.dirname(import.meta.dirname);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The catalogue as the contract writes it: `{R}_` before the codes of resources. */
const catalogue: ReadonlyMap<string, number> = new Map([
  ...Object.entries(errors),
  ...Object.entries(resourceErrors).map(([code, status]) => [`{R}_${code}`, status] as const),
]);

/** Codes and their statuses in the paragraph of the contract that begins with `Codes:`. */
function contractCodes(): ReadonlyMap<string, number> {
  const [, paragraph = ''] = /^Codes: ([\s\S]+?)\n\n/m.exec(read('docs/specification/contract.md')) ?? [];
  return new Map(
    paragraph
      .replaceAll('\\_', '_')
      .split(/ ·\s/)
      .flatMap((group) => {
        const status = Number.parseInt(group, 10);
        return [...group.matchAll(/(?:\{R\}_)?[A-Z]+(?:_[A-Z]+)*(?=[,. \n]|$)/g)].map(
          ([code]) => [code, status] as const,
        );
      }),
  );
}

const families = /^(?:REQUEST|AUTH|PAGINATION|QUERY|RATE|IDEMPOTENCY|API|WEBHOOK|EVENT|BATCH|SERVER|\{R\})_/;

describe('the catalogue of errors', () => {
  it('[ERR-2] holds the codes that the contract lists, with the same statuses, and no others', () => {
    const sorted = (codes: ReadonlyMap<string, number>) => [...codes].sort(([a], [b]) => a.localeCompare(b));
    assert.deepEqual(sorted(catalogue), sorted(contractCodes()));
  });

  it('[ERR-2] writes every code in capitals, under the prefix of a family or of a resource', () => {
    for (const code of catalogue.keys()) {
      assert.match(code.replace('{R}', 'PRODUCT'), /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/);
      assert.match(code, families);
    }
  });

  it('[ERR-2] documents the cause and the fix of every code', () => {
    assert.deepEqual(Object.keys(errorProse), Object.keys(errors));
    assert.deepEqual(Object.keys(resourceErrorProse), Object.keys(resourceErrors));
    for (const { cause, fix } of [...Object.values(errorProse), ...Object.values(resourceErrorProse)])
      for (const sentence of [cause, fix]) assert.match(sentence, /^[A-Z`][^|\n]+\.$/);
  });

  it('[ERR-2] stands in docs/errors.md as it is in the code', () => {
    assert.equal(read(ERRORS_PAGE), errorsPage(), 'stale: run node scripts/run.mjs scripts/errors-page.ts');
  });
});
