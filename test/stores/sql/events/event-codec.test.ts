import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { envelope, type EventDraft } from '../../../../src/conventions/events/event.ts';
import type { Json } from '../../../../src/conventions/json/json.ts';
import { joinPath } from '../../../../src/conventions/url/links.ts';
import { timestamp } from '../../../../src/conventions/text/timestamp.ts';
import { writeOrderedJson } from '../../../../src/formats/json.ts';
import { eventDraft } from '../../../../store-suite/sample-writes.ts';
import { packEvent, readShapes, StoredEvent } from '../../../../src/stores/sql/events/event-codec.ts';
import { packTexts, unpackTexts } from '../../../../src/stores/sql/events/packed-text.ts';

const shapes = readShapes(null);
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uuid(),
  fc.stringMatching(/^[0-9a-fA-F]{32}$/),
  fc.constantFrom('', '1', '../..', 'a/b', 'ü?', '0', '\u0000'),
);
const optionalText = fc.option(anyText);
const json = fc.json().map((text): Json => JSON.parse(text));
const values = fc.option(fc.dictionary(fc.string(), json));
const at = fc.oneof(
  fc.integer({ min: 0, max: 4e12 }).map(timestamp),
  fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02T05:04:05+02:00'),
);
const parent = fc.record({ type: anyText, id: anyText });

const draft = fc
  .record({
    ids: fc.tuple(anyText, anyText, anyText),
    type: anyText,
    timestamp: at,
    parents: fc.array(parent, { maxLength: 3 }),
    url: fc.option(anyText, { freq: 5 }),
    changed_fields: fc.array(fc.string()),
    data: values,
    metadata: fc.record({ trace_id: anyText, correlation_id: anyText, schema_version: anyText, actor: optionalText }),
    writer: fc.record({ issuer: optionalText, subject: optionalText, client: optionalText }),
    before: values,
    after: values,
    members: fc.option(fc.array(anyText), { freq: 3 }),
  })
  .map(({ ids: [id, resourceId, resourceType], type, url, parents, data, metadata, ...rest }): EventDraft => {
    const path = parents.toReversed().flatMap((each) => ['parents', each.id]);
    const resource = {
      type: resourceType,
      id: resourceId,
      url: url ?? joinPath('https://h/api', ...path, 'items', resourceId),
    };
    const { timestamp: time, changed_fields, writer, before, after, members } = rest;
    const payload = { timestamp: time, resource, parents, changed_fields, ...(data === null ? {} : { data }) };
    return { id, type, payload, metadata, access: { writer, before, after, ...(members === null ? {} : { members }) } };
  });

describe('a packed event', () => {
  it('[EVT-1] becomes the same bytes again, with who wrote and what policies compare', () => {
    fc.assert(
      fc.property(draft, fc.integer({ min: 1, max: 1e15 }), (event, sequence) => {
        const { id, resourceId, ...packed } = packEvent(event);
        const logged = new StoredEvent({ ...packed, sequence, id, resource_id: resourceId }, shapes);
        assert.equal(logged.json, writeOrderedJson(envelope(event, sequence)));
        assert.deepEqual(logged.access, JSON.parse(JSON.stringify(event.access)));
      }),
    );
  });

  it('[EVT-2] has the paths of changed members under the later name of their field', () => {
    const writer = { issuer: null, subject: null, client: null };
    const access = { writer, before: null, after: null, members: ['place', 'place.place'] };
    const { id, resourceId, shape, ...packed } = packEvent({ ...eventDraft('updated', 'products', 'p'), access });
    const renamed = JSON.stringify([...JSON.parse(shape), { place: 'site' }]);
    const logged = new StoredEvent({ ...packed, shape: renamed, sequence: 1, id, resource_id: resourceId }, shapes);
    assert.deepEqual(logged.access?.members, ['site', 'site.place']);
  });

  it('[EVT-2] packs texts of any kind, equal ones to equal bytes', () => {
    fc.assert(
      fc.property(fc.array(optionalText), (texts) => {
        const bytes = packTexts(texts);
        assert.deepEqual(
          unpackTexts(bytes),
          texts.map((text) => text?.toWellFormed() ?? null),
        );
        assert.deepEqual(packTexts(texts), bytes);
      }),
    );
  });
});
