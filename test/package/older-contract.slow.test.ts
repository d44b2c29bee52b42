import { describe, it } from 'node:test';
import { fnv1a } from '../../src/cache/fnv1a.ts';
import { isWholeSuite } from '../extent.ts';
import { runHttpSuite } from './http-suite.ts';

/** They read or write the store by the names of the newest version, or judge events, which have these. */
const OTHER_FILES =
  /^(?:callers-and-caches|delete-limits|docs-page|event-log|events|import|import-order|large-pages|map-order|page-bytes|page-limits|races|read-only|secrets-at-rest|texts-on-every-way-in|trace-channels|versions|webhooks)\.test\.ts$/;
/**
 * Claims about imports, events, and columns and sizes of stored rows. Claims about errors that are found before the
 * version is: their `API-Version` is the newest one. The root of an older version links to its own description.
 */
const OTHER_CLAIMS = String.raw`/\[EVT-2\]|\[ERR-7\] is not cacheable|\[VER-4a\] \[ERR-5\]|\[URL-9\] is the same in the URL of an event|are absolute if the model has a public_url|are the only columns|is nowhere else: only its SHA-256|an atomic batch reads a nested row|an export is imported again|the ids above a parent in a file|keeps omitted write-only|sets a write-only field to null|is counted as the bytes|is optional and null is as if omitted|is refused by an import|a time that is more than a day ahead|imports rows with the rules|of the root use the version carrier|list the collections at the root|links to every collection that has a URL/`;

/**
 * Files about versions and names, which this contract decides. Of the others, `npm run test:all` runs a third,
 * which their hashes select.
 */
const ALWAYS =
  /^(?:batches|changed-fields|cursors|event-policies|expand|fields|filters|patches|reads|relation-filters|row-policies|search|states|version-laws|writes)\.test\.ts$/;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

describe('the HTTP suite through an older contract in which everything has another name', () => {
  it('[VER-5a] [VER-5b] has the same answers, by the names of that contract alone', {
    timeout: SUITE_TIMEOUT,
  }, async ({ signal }) => {
    const environment = { RESTWRIGHT_OLDER_CONTRACT: '1' };
    const includes = (file: string): boolean =>
      !OTHER_FILES.test(file) && (isWholeSuite || ALWAYS.test(file) || fnv1a(file) % 3 === 0);
    await runHttpSuite(
      { way: 'older-contract', environment, includes, otherClaims: OTHER_CLAIMS, signal },
      isWholeSuite ? 80 : 35,
    );
  });
});
