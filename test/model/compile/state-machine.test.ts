import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, itemsDocument, load, rejectsEach, resource } from '../loading.ts';

const STATUS = 'status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }';
const state = (rest: string): string => `state: { ${rest} }`;
const MOVES = 'transitions: { DRAFT: [ACTIVE], ACTIVE: [{ to: CLOSED }] }';

describe('the states of a resource', () => {
  it('[MET-11] list the moves from every state; one without any is final', () => {
    const { model } = load(itemsDocument(STATUS, state(`field: status, initial: DRAFT, ${MOVES}`)));
    const found = resource(model, 'items').state;
    assert.deepEqual(found, {
      field: 'status',
      initial: 'DRAFT',
      transitions: new Map([
        ['DRAFT', new Set(['ACTIVE'])],
        ['ACTIVE', new Set(['CLOSED'])],
        ['CLOSED', new Set()],
      ]),
    });
  });

  it('[MET-11] make their field one that is never null and begins with the initial state', () => {
    for (const [properties, required] of [
      [STATUS, ''],
      ['status: { type: string, enum: [DRAFT, ACTIVE, CLOSED] }', 'status'],
    ] as const) {
      const { model } = load(itemsDocument(properties, state(`field: status, initial: DRAFT, ${MOVES}`), required));
      const field = resource(model, 'items').field.get('status');
      assert.deepEqual([field?.required, field?.nullable, field?.default], [true, false, 'DRAFT']);
    }
  });

  const refused = (title: string, rest: string, path: string, cause: RegExp, properties = STATUS): InvalidDocument => ({
    title,
    text: itemsDocument(properties, state(rest)),
    path: `resources.items.state${path}`,
    line: 5,
    cause,
    fix: /./,
  });
  rejectsEach([
    refused('[MET-11] have a field', `field: stats, initial: DRAFT, ${MOVES}`, '.field', /no field stats/),
    refused(
      '[MET-11] are listed by their field',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /no enum of states/,
      'status: { type: string }',
    ),
    refused(
      '[MET-11] are text',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /no enum of states/,
      'status: { type: integer, enum: [1] }',
    ),
    refused(
      '[MET-11] have a field that is set',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /is optional/,
      'status: { type: string, enum: [DRAFT, ACTIVE, CLOSED] }',
    ),
    refused(
      '[REP-11] have a field that can be seen',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /write-only/,
      STATUS.replace('type', 'writeOnly: true, type'),
    ),
    refused(
      '[MET-11] begin with the default of their field',
      `field: status, initial: ACTIVE, ${MOVES}`,
      '.initial',
      /differs from the initial state/,
    ),
    refused(
      '[MET-11] are left for one of them',
      'field: status, initial: DRAFT, transitions: { DRAFT: [ACTIV] }',
      '.transitions.DRAFT[0]',
      /ACTIV is not a state/,
    ),
    refused(
      '[MET-11] are left from one of them',
      'field: status, initial: DRAFT, transitions: { NEW: [ACTIVE] }',
      '.transitions.NEW',
      /NEW is not a state/,
    ),
    refused('[MET-11] have transitions', 'field: status, initial: DRAFT', '.transitions', /required/),
  ]);

  rejectsEach([
    {
      title: '[MET-11] begin with one of them',
      text: itemsDocument(
        'status: { type: string, enum: [DRAFT] }',
        state('field: status, initial: NEW, transitions: {}'),
        'status',
      ),
      path: 'resources.items.state.initial',
      line: 5,
      cause: /NEW is not a state/,
      fix: /DRAFT/,
    },
  ]);
});
