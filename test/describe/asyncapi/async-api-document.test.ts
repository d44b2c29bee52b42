import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { readObject } from '../../../src/model/values/access.ts';
import { describeEvents } from './described-events.ts';

const SHOP = `
name: shop
version: 2.1.0
default_version: 2
public_url: https://api.example.com
webhooks: {}
resources:
  products:
    events: full
    schema: { type: object, required: [name], properties: { name: { type: string }, cost: { type: number, writeOnly: true } } }
  reviews: { parent: products, schema: { type: object, properties: { text: { type: string } } } }
  quiet: { events: none, schema: { type: object, properties: { text: { type: string } } } }
versions:
  1.0.0: { changes: [{ resource: products, collection: articles, singular: article, rename: { title: name } }] }
`;

function at(document: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, name) => readObject(value)[name], document);
}

const described = (text: string): readonly [JsonObject, JsonObject] => {
  const [newest = {}, older = {}] = describeEvents(text);
  return [newest, older];
};

describe('the description of events', () => {
  it('[EVT-10c] [OPS-1b] has each type of event, as webhooks and the feed deliver it', () => {
    const [newest] = described(SHOP);
    const types = ['product', 'review'].flatMap((name) =>
      ['created', 'updated', 'deleted'].map((verb) => `${name}.${verb}`),
    );
    const delivered = [...types, 'webhook.disabled', 'webhook.ping'];
    assert.deepEqual(
      Object.keys(readObject(at(newest, 'channels', 'webhooks', 'messages'))),
      delivered.flatMap((type) => [type, `${type}.cloudevent`]),
    );
    assert.deepEqual(Object.keys(readObject(at(newest, 'channels', 'feed', 'messages'))), [
      ...[...types, 'webhook.disabled'].map((type) => `${type}.feed`),
      'feed.error',
    ]);
    assert.equal(at(newest, 'channels', 'feed', 'address'), '/api/v2/events');
    assert.deepEqual(at(newest, 'servers', 'api', 'host'), 'api.example.com');
    assert.deepEqual(at(newest, 'operations', 'sendWebhook', 'bindings', 'http', 'method'), 'POST');
  });

  it('[EVT-10c] has the content of full events, and nothing that is write-only', () => {
    const [newest] = described(SHOP);
    const properties = (name: string): readonly string[] =>
      Object.keys(readObject(at(newest, 'components', 'schemas', name, 'properties')));
    assert.deepEqual(properties('ProductEventData'), ['id', 'name']);
    assert.ok(!properties('ReviewCreatedPayload').includes('data'));
    assert.doesNotMatch(JSON.stringify(newest), /cost|quiet/);
    const changed = ['components', 'schemas', 'ProductUpdatedPayload', 'properties', 'changed_fields', 'items', 'enum'];
    assert.deepEqual(at(newest, ...changed), ['name']);
  });

  it('[EVT-10c] [EVT-10a] has the names and the schema version of each contract', () => {
    const [newest, older] = described(SHOP);
    const version = ['components', 'schemas', 'EventMetadata', 'properties', 'schema_version', 'const'];
    assert.deepEqual([at(newest, ...version), at(older, ...version)], ['2.1', '1.0']);
    assert.equal(at(older, 'channels', 'feed', 'address'), '/api/v1/events');
    assert.ok('article.created' in readObject(at(older, 'channels', 'webhooks', 'messages')));
    assert.doesNotMatch(JSON.stringify(at(older, 'components', 'schemas')), /[Pp]roduct/);
  });

  it('[EVT-10c] has only what the model has: webhooks, authentication, a public URL', () => {
    const [plain] = described('name: shop\nresources: { notes: { events: none, schema: { type: object } } }\n');
    assert.deepEqual(Object.keys(readObject(plain['channels'])), ['feed']);
    assert.deepEqual(Object.keys(readObject(at(plain, 'channels', 'feed', 'messages'))), ['feed.error']);
    assert.equal(at(plain, 'components', 'securitySchemes'), undefined);
    assert.equal(at(plain, 'servers', 'api', 'host'), '{host}');
  });

  it('[EVT-10c] is the same for the same model', () => {
    assert.equal(JSON.stringify(described(SHOP)), JSON.stringify(described(SHOP)));
  });
});
