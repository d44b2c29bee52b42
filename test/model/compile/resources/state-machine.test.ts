import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, itemsDocument, load, rejectsEach, resource } from '../../loading.ts';

const STATUS = 'status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }';
const state = (rest: string): string => `state: { ${rest} }`;
const MOVES = 'transitions: { DRAFT: [ACTIVE], ACTIVE: [{ to: CLOSED }] }';

describe('the states of a resource', () => {
  it('[MET-11] have transitions from every state; a state without any is final', () => {
    const { model } = load(itemsDocument(STATUS, state(`field: status, initial: DRAFT, ${MOVES}`)));
    const found = resource(model, 'items').state;
    assert.deepEqual(found, {
      field: 'status',
      isOptional: true,
      initial: 'DRAFT',
      scopes: new Map(),
      transitions: new Map([
        ['DRAFT', new Set(['ACTIVE'])],
        ['ACTIVE', new Set(['CLOSED'])],
        ['CLOSED', new Set()],
      ]),
    });
  });

  it('[MET-11] make their field required, with the initial state as default', () => {
    for (const [properties, required] of [
      [STATUS, ''],
      ['status: { type: string, enum: [DRAFT, ACTIVE, CLOSED] }', 'status'],
    ] as const) {
      const { model } = load(itemsDocument(properties, state(`field: status, initial: DRAFT, ${MOVES}`), required));
      const field = resource(model, 'items').field.get('status');
      assert.deepEqual([field?.required, field?.nullable, field?.default], [true, false, 'DRAFT']);
    }
  });

  const rejected = (
    title: string,
    rest: string,
    path: string,
    cause: RegExp,
    properties = STATUS,
  ): InvalidDocument => ({
    title,
    text: itemsDocument(properties, state(rest)),
    path: `resources.items.state${path}`,
    line: 5,
    cause,
    fix: /./,
  });
  rejectsEach([
    rejected(
      '[MET-11] require an existing field',
      `field: stats, initial: DRAFT, ${MOVES}`,
      '.field',
      /no field stats/,
    ),
    rejected(
      '[MET-11] require an enum of their field',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /no enum of states/,
      'status: { type: string }',
    ),
    rejected(
      '[MET-11] must be strings',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /no enum of states/,
      'status: { type: integer, enum: [1] }',
    ),
    rejected(
      '[MET-11] require a field that is always set',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /is optional/,
      'status: { type: string, enum: [DRAFT, ACTIVE, CLOSED] }',
    ),
    rejected(
      '[REP-11a] require a readable field',
      `field: status, initial: DRAFT, ${MOVES}`,
      '.field',
      /write-only/,
      STATUS.replace('type', 'writeOnly: true, type'),
    ),
    rejected(
      '[MET-11] require the default of their field as initial state',
      `field: status, initial: ACTIVE, ${MOVES}`,
      '.initial',
      /differs from the initial state/,
    ),
    rejected(
      '[MET-11] reject a transition to an unknown state',
      'field: status, initial: DRAFT, transitions: { DRAFT: [ACTIV] }',
      '.transitions.DRAFT[0]',
      /ACTIV is not a state/,
    ),
    rejected(
      '[MET-11] reject a transition from an unknown state',
      'field: status, initial: DRAFT, transitions: { NEW: [ACTIVE] }',
      '.transitions.NEW',
      /NEW is not a state/,
    ),
    rejected('[MET-11] require transitions', 'field: status, initial: DRAFT', '.transitions', /required/),
  ]);

  rejectsEach([
    {
      title: '[MET-11] reject an unknown initial state',
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
