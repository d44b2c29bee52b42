import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACCEPT_QUERY } from '../../src/conventions/accept-query.ts';
import { bodyTypes } from '../../src/conventions/body-type.ts';

/** A token of structured fields (RFC 9651 3.3.4). */
const TOKEN = /^[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*$/;

describe('ACCEPT_QUERY', () => {
  it('[MET-5] is a list of structured fields', () => {
    for (const member of ACCEPT_QUERY.split(', ')) assert.match(member, TOKEN);
  });

  it('[MET-9] names what a QUERY takes', () => {
    const version = { major: 1, minor: 0, patch: 0 };
    assert.equal(ACCEPT_QUERY, bodyTypes({ name: 'shop', version, use: 'query' }));
  });
});
