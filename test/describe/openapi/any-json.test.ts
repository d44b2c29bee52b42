import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, type ApiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { SETTINGS } from '../../pipeline/models/settings-model.ts';

const ANY = ['array', 'boolean', 'number', 'object', 'string'];

async function describeLab(path: string): Promise<Awaited<ReturnType<ApiUnderTest['send']>>['body']> {
  await using lab = await apiUnderTest(SETTINGS);
  return (await lab.row({ send: `GET ${path}`, status: 200 })).body;
}

describe('descriptions of any JSON', () => {
  it('[OPS-1a] have a schema without a type; one that is never null has all other types', async () => {
    const { components } = await describeLab('/openapi.json');
    for (const name of ['Device', 'DeviceCreate', 'DeviceReplace', 'DevicePatch']) {
      const { properties } = components.schemas[name];
      assert.deepEqual(properties.settings, { description: 'Whatever the device needs' }, name);
      assert.deepEqual(properties.config.type, ANY, name);
      assert.deepEqual(properties.mode, { enum: ['auto', 3, { own: true }, null] }, name);
      assert.deepEqual(properties.parts.items, { type: ANY }, name);
    }
    assert.deepEqual(components.schemas.DevicePatch.properties.values.additionalProperties, {});
    assert.deepEqual(components.schemas.DeviceFormBody.properties.settings, {
      type: 'string',
      contentMediaType: 'application/json',
    });
  });

  it('[OPS-1b] have the same schema for events, in which every member may be null', async () => {
    const { components } = await describeLab('/asyncapi.json');
    const { properties } = components.schemas.DeviceEventData;
    assert.deepEqual([properties.config, properties.settings], [{}, { description: 'Whatever the device needs' }]);
  });

  it('[OPS-1a] have the names of filters that lead into it', async () => {
    const { paths } = await describeLab('/openapi.json');
    const { parameters } = paths['/api/v1/devices'].get;
    const names = parameters.map(({ name }: { readonly name: string }) => name);
    assert.ok(names.includes('settings') && names.includes('settings[starts_with]'));
    const other = parameters.find(({ name }: { readonly name: string }) => name === 'otherFilters');
    const pattern = new RegExp(other.schema.propertyNames.pattern, 'u');
    for (const name of ['settings.theme', 'settings.a.0[gte]', 'any[1][settings.é]', 'place.extra.x[exists]']) {
      assert.ok(pattern.test(name), name);
    }
    for (const name of ['settings.', 'settings.a"b', 'name.first', 'settings..a']) assert.ok(!pattern.test(name), name);
  });

  it('[OPS-8a] tell an agent the paths of its filters', async () => {
    const { describeCollection } = await import('../../../src/describe/agents/describe-collection.ts');
    const { loadModel } = await import('../../../src/model/compile/load-model.ts');
    const description = describeCollection(loadModel({ text: SETTINGS }).model, { name: 'devices' });
    assert.match(JSON.stringify(description['filters']), /settings\.<member>/);
    assert.match(JSON.stringify(description['fields']), /"settings":"any JSON: Whatever the device needs"/);
  });
});
