import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems, load, rejectsEach, resource } from '../../loading.ts';

const documentWithDefinitions = (definitions: string, properties: string, inner = ''): string =>
  `name: shop\n$defs: ${definitions}\nresources:\n  items:\n    schema: { type: object, ${inner} properties: ${properties} }\n`;

describe('$ref', () => {
  it('resolves to a definition of the schema or else of the document, and adds the keywords next to it', () => {
    const { model } = load(
      documentWithDefinitions(
        '{ money: { type: string, format: decimal }, code: { type: string } }',
        '{ a: { $ref: "#/$defs/money", description: what it costs, default: "1" }, b: { $ref: "#/$defs/code" }, c: { type: array, items: { $ref: "#/definitions/n" } } }',
        '$defs: { code: { type: integer } }, definitions: { n: { $ref: "#/$defs/code", minimum: 1 } },',
      ),
    );
    const { field, schema } = resource(model, 'items');
    assert.equal(field.get('a')?.type.kind, 'decimal');
    assert.equal(field.get('a')?.default, '1');
    assert.equal(field.get('b')?.type.kind, 'integer');
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        a: { type: 'string', format: 'decimal', description: 'what it costs', default: '1' },
        b: { type: 'integer' },
        c: { type: 'array', items: { type: 'integer', minimum: 1 } },
      },
    });
  });

  const at = (path: string): { path: string; line: number } => ({
    path: `resources.items.schema.properties.${path}`,
    line: 5,
  });
  rejectsEach([
    {
      title: 'requires an existing definition',
      text: documentWithDefinitions('{ address: { type: string } }', '{ a: { $ref: "#/$defs/adress" } }'),
      ...at('a.$ref'),
      cause: /no definition #\/\$defs\/adress/,
      fix: /#\/\$defs\/address/,
    },
    {
      title: 'must be local',
      text: documentWithDefinitions('{}', '{ a: { $ref: "https://example.com/a.json" } }'),
      ...at('a.$ref'),
      cause: /no definition https/,
      fix: /definition of this document/,
    },
    {
      title: 'cannot be recursive',
      text: documentWithDefinitions(
        '{ node: { type: object, properties: { next: { $ref: "#/$defs/node" } } } }',
        '{ a: { $ref: "#/$defs/node" } }',
      ),
      ...at('a.properties.next.$ref'),
      cause: /contains itself/,
      fix: /levels/,
    },
    {
      title: 'cannot have conflicting keywords next to it',
      text: documentWithDefinitions(
        '{ short: { type: string, maxLength: 3 } }',
        '{ a: { $ref: "#/$defs/short", maxLength: 5 } }',
      ),
      ...at('a.maxLength'),
      cause: /here and in #\/\$defs\/short/,
      fix: /remove one/,
    },
  ]);

  it('is resolved within a limit: exponential definitions are one problem', () => {
    const doubling = Array.from(
      { length: 20 },
      (_, level) =>
        `d${level + 1}: { type: object, properties: { a: { $ref: "#/$defs/d${level}" }, b: { $ref: "#/$defs/d${level}" } } }`,
    );
    const problems = listProblems(
      documentWithDefinitions(`{ d0: { type: string }, ${doubling.join(', ')} }`, '{ a: { $ref: "#/$defs/d20" } }'),
    );
    assert.deepEqual(
      problems.map(({ cause }) => cause),
      ['the schema is too large after resolving its $refs'],
    );
  });

  it('is resolved within a depth: a long chain of definitions is one problem with its place', () => {
    for (const definition of [
      (next: string) => `{ type: object, properties: { a: ${next} } }`,
      (next: string) => next,
    ]) {
      const chain = Array.from(
        { length: 3_000 },
        (_, level) => `d${level}: ${definition(`{ $ref: "#/$defs/d${level + 1}" }`)}`,
      );
      const text = documentWithDefinitions(
        `{ ${chain.join(', ')}, d3000: { type: string } }`,
        '{ a: { $ref: "#/$defs/d0" } }',
      );
      const [problem, ...others] = listProblems(text);
      assert.equal(problem?.cause, 'the schema is nested too deeply after resolving its $refs');
      assert.equal(problem.fix, 'use at most 64 levels');
      assert.match(problem.path, /^resources\.items\.schema\.properties\.a/);
      assert.deepEqual(others, []);
    }
  });
});
