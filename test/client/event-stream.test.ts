import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { EventStreamReader, type StreamedEvent } from '../../src/client/event-stream.ts';
import { runs } from '../extent.ts';

const read = (pieces: readonly string[], max = 1_000_000): readonly StreamedEvent[] => {
  const reader = new EventStreamReader(max);
  return pieces.flatMap((piece) => [...reader.push(piece)]).filter(({ data }) => data !== null);
};

/** The events that eventsource-parser finds. It leaves out an empty name and repeats no id. */
function readByOracle(text: string): readonly (readonly [event: string | null, data: string])[] {
  const found: (readonly [string | null, string])[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => found.push([event ?? null, data]) });
  parser.feed(text);
  return found;
}

describe('an event stream', () => {
  const cases: readonly [title: string, text: string, events: readonly StreamedEvent[]][] = [
    ['of one event', 'id: 1\nevent: a\ndata: x\n\n', [{ id: '1', event: 'a', data: 'x' }]],
    ['with CRLF', 'id: 1\r\ndata: x\r\n\r\n', [{ id: '1', event: null, data: 'x' }]],
    [
      'with CR',
      'data: x\r\rdata: y\r\r',
      [
        { id: null, event: null, data: 'x' },
        { id: null, event: null, data: 'y' },
      ],
    ],
    ['with several lines of data', 'data: a\ndata\ndata:b\n\n', [{ id: null, event: null, data: 'a\n\nb' }]],
    [
      'with comments and unknown fields',
      ': hi\nretry: 5\nfoo: bar\ndata: x\n\n',
      [{ id: null, event: null, data: 'x' }],
    ],
    ['with an id that stays', 'id: 1\n\ndata: x\n\n', [{ id: '1', event: null, data: 'x' }]],
    ['without the end of its last block', 'data: x\n\ndata: y\n', [{ id: null, event: null, data: 'x' }]],
  ];
  for (const [title, text, events] of cases) {
    it(`${title} is read, in whatever pieces it arrives`, () => {
      assert.deepEqual(read([text]), events);
      assert.deepEqual(read(text.split('')), events);
    });
  }

  it('has the events that another reader finds', () => {
    const word = fc.constantFrom('data', 'id', 'event', ':', ': ', ' ', '\n', '\r\n', '\n\n', '\r\r', 'x', 'data: y');
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 12 }), (pieces) => {
        const texts = pieces.map((each) => each.join(''));
        const events = read([...texts, '\n\n']).map(({ event, data }) => [event, data]);
        assert.deepEqual(events, readByOracle(`${texts.join('')}\n\n`));
      }),
      { numRuns: runs(300, 5_000) },
    );
  });

  it('has no event longer than the maximum, in one line or in several', () => {
    assert.throws(() => read([`data: ${'x'.repeat(30)}`], 20), RangeError);
    assert.throws(() => read(['data: xxxxxx\n', 'data: xxxxxx\n', 'data: xxxxxx\n'], 20), RangeError);
    assert.equal(read(['data: xxxxxx\n\ndata: xxxxxx\n\n'], 20).length, 2);
  });
});
