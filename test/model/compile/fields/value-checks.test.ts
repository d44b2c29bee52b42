import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadModel } from '../../../../src/model/compile/load-model.ts';

/** A model whose resources have the same kinds of fields, each with its own enum. */
function modelText(resources: number): string {
  const declared = Array.from({ length: resources }, (_, index) => {
    const properties = {
      kind: { type: 'string', enum: [`A${index}`, `B${index}`], default: `A${index}`, description: `Kind ${index}` },
      count: { type: 'integer', minimum: 0, default: index },
    };
    return [`r${index}s`, { schema: { type: 'object', properties } }];
  });
  return JSON.stringify({ name: 'large', resources: Object.fromEntries(declared) });
}

/** The schemas that are compiled while a model is loaded. */
function compiledSchemas(context: TestContext, resources: number): number {
  const { mock } = context.mock.method(Ajv2020.prototype, 'compile');
  loadModel({ text: modelText(resources) });
  const schemas = mock.callCount();
  mock.restore();
  return schemas;
}

describe('checks of defaults and enums', () => {
  it('are compiled once for all fields with the same rules', (context) => {
    compiledSchemas(context, 1);
    assert.equal(compiledSchemas(context, 100), 0);
  });

  it('still find a default that is none of the listed values, and one that the rest of the schema rejects', () => {
    const property = (schema: object): string =>
      JSON.stringify({ name: 'a', resources: { bs: { schema: { type: 'object', properties: { c: schema } } } } });
    const listed = { type: 'string', enum: ['A', 'B'] };
    assert.throws(() => loadModel({ text: property({ ...listed, default: 'C' }) }), /the default must be one of/);
    const long = { type: 'string', maxLength: 1, enum: ['A', 'BB'], default: 'BB' };
    assert.throws(() => loadModel({ text: property(long) }), /the default must be at most|the default .*1 character/);
  });
});
