import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stateSection } from '../../../src/describe/docs-page/state-diagram.ts';
import type { StateMachine } from '../../../src/model/model.ts';

function machine(
  transitions: Readonly<Record<string, readonly string[]>>,
  scopes: StateMachine['scopes'] = new Map(),
): StateMachine {
  const [initial = ''] = Object.keys(transitions);
  const targets = new Map(Object.entries(transitions).map(([from, to]) => [from, new Set(to)]));
  return { field: 'status', initial, transitions: targets, scopes, isOptional: false };
}

const boxes = (markup: string): readonly (readonly number[])[] =>
  [...markup.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)].map((match) =>
    match.slice(1).map(Number),
  );

describe('the states of a resource', () => {
  it('are a picture with the initial one marked, and a list of the transitions with their scopes', () => {
    const scopes = new Map([['ACTIVE', new Map([['CLOSED', 'products:close']])]]);
    const { text } = stateSection(machine({ DRAFT: ['ACTIVE'], ACTIVE: ['CLOSED', 'DRAFT'], CLOSED: [] }, scopes));
    assert.equal(boxes(text).length, 3);
    assert.match(text, /<g class="state initial"><rect [^>]*\/><text [^>]*>DRAFT</);
    assert.equal(text.match(/<path /g)?.length, 6, 'three transitions, a line and a head each');
    assert.match(
      text,
      /<code>ACTIVE<\/code> to <code>CLOSED<\/code> <span class="note">\(products:close\)<\/span>, <code>DRAFT</,
    );
    assert.match(text, /<code>CLOSED<\/code> is final/);
  });

  it('are a list alone where they are too many for a picture', () => {
    const names = Array.from({ length: 13 }, (_, index) => `S${index}`);
    const { text } = stateSection(machine(Object.fromEntries(names.map((name) => [name, names]))));
    assert.doesNotMatch(text, /<svg/);
    assert.equal(text.match(/<li>/g)?.length, 13);
  });

  it('overlap in no picture, and are all in it', () => {
    const names = ['A', 'BB', 'CLOSED', 'A_LONG_NAME', 'E', 'F'];
    const machines = fc.dictionary(fc.constantFrom(...names), fc.subarray(names), { minKeys: 1 });
    fc.assert(
      fc.property(machines, (given) => {
        const all = new Set([...Object.keys(given), ...Object.values(given).flat()]);
        const placed = boxes(stateSection(machine(given)).text);
        assert.equal(placed.length, all.size);
        for (const [index, [x = 0, y = 0, width = 0, height = 0]] of placed.entries()) {
          for (const [otherX = 0, otherY = 0, otherWidth = 0, otherHeight = 0] of placed.slice(index + 1)) {
            const apart =
              x + width < otherX || otherX + otherWidth < x || y + height < otherY || otherY + otherHeight < y;
            assert.ok(apart, JSON.stringify(given));
          }
        }
      }),
    );
  });
});
