import assert from 'node:assert/strict';
import process from 'node:process';
import { it } from 'node:test';
import { Play } from './play.ts';

/** Another seed, to repeat a failure or to look elsewhere. */
const SEED = Number(process.env['RESTWRIGHT_SEED'] ?? 1);

/**
 * Plays sequences of random requests over random models.
 *
 * @param requests at least so many
 * @param length of a sequence
 */
export function judgeSequences({ requests, length }: { readonly requests: number; readonly length: number }): void {
  it(`[AUTH-5a] [AUTH-5b] [AUTH-5c] [URL-7] [PAGE-6] [MET-12] [CACHE-1] [CACHE-2] ${requests} random requests are answered as the oracle says, from seed ${SEED}`, async () => {
    let sent = 0;
    for (let seed = SEED; sent < requests; seed += 1) sent += await Play.run(seed, length);
    assert.ok(sent >= requests);
  });
}
