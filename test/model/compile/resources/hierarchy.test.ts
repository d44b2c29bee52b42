import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems, load, rejectsEach, resource } from '../../loading.ts';

const nestedDocument = (...resources: readonly string[]): string =>
  `name: shop\nresources:\n  ${resources.join('\n  ')}\n`;
const child = (name: string, parent: string, rest = ''): string =>
  `${name}: { parent: ${parent}, schema: { type: object }${rest} }`;
const top = (name: string): string => `${name}: { schema: { type: object } }`;

describe('a child resource', () => {
  it('[URL-7] has the id of its parent as first field, which the path sets', () => {
    const text = nestedDocument(
      'reviews: { parent: products, on_parent_delete: cascade, schema: { type: object, properties: { stars: { type: integer } } } }',
      top('products'),
    );
    const { model } = load(text);
    assert.deepEqual([...model.resources.keys()], ['products', 'reviews']);
    const { fields, parent, properties } = resource(model, 'reviews');
    assert.deepEqual(parent, { resource: 'products', field: 'product_id' });
    assert.deepEqual(fields[0], {
      name: 'product_id',
      type: { kind: 'text', format: null, ids: 'server' },
      nullable: false,
      required: true,
      readOnly: true,
      writeOnly: false,
      immutable: false,
      was: null,
      generator: null,
      shownOnce: false,
      fill: null,
      reference: { resource: 'products', as: 'product', inverse: null, onDelete: 'cascade' },
    });
    assert.equal(properties.get('product_id')?.filterable, true);
    assert.deepEqual(resource(model, 'products').dependents, [
      { resource: 'reviews', field: 'product_id', many: false, onDelete: 'cascade', child: true },
    ]);
    assert.deepEqual(resource(model, 'products').links, [
      { name: 'reviews', resource: 'reviews', kind: 'child', field: 'product_id' },
    ]);
  });

  it('[URL-7] can be the third level, parents before their children', () => {
    const { model } = load(
      nestedDocument(child('votes', 'comments'), child('comments', 'posts'), top('posts'), top('tags')),
    );
    assert.deepEqual([...model.resources.keys()], ['posts', 'comments', 'votes', 'tags']);
  });

  it('[URL-7] cannot be the fourth level', () => {
    const problems = listProblems(nestedDocument(top('as'), child('bs', 'as'), child('cs', 'bs'), child('ds', 'cs')));
    assert.deepEqual(
      problems.map(({ path, cause }) => `${path}: ${cause}`),
      ['resources.ds.parent: ds is nested 4 levels deep; the maximum is 3'],
    );
  });

  it('[REP-9c] has relations with the names that parent declares, which no other member may have', () => {
    const reviews = (rest: string): string =>
      `reviews: { parent: { resource: products, ${rest} }, schema: { type: object } }`;
    const { model } = load(nestedDocument(top('products'), reviews('as: subject, inverse: opinions')));
    assert.equal(resource(model, 'reviews').fields[0]?.reference?.as, 'subject');
    assert.deepEqual(resource(model, 'products').links, [
      { name: 'opinions', resource: 'reviews', kind: 'child', field: 'product_id' },
    ]);
    const problems = listProblems(
      nestedDocument(
        top('products'),
        reviews('as: self, inverse: links'),
        'votes: { parent: { resource: product }, schema: { type: object } }',
      ),
    );
    assert.deepEqual(
      problems.map(({ path, cause, fix }) => `${path}: ${cause}; ${fix}`),
      [
        'resources.reviews.parent: the name of the relation links is already in use in products; rename the relation with as: or inverse: in parent',
        'resources.reviews.parent: the name of the relation self is already in use in reviews; rename the relation with as: or inverse: in parent',
        'resources.votes.parent.resource: there is no resource product; write products',
      ],
    );
  });

  it('cannot be its own ancestor', () => {
    const problems = listProblems(nestedDocument(child('posts', 'comments'), child('comments', 'posts')));
    assert.deepEqual(
      problems.filter(({ cause }) => cause.endsWith('its own ancestor')).map(({ path }) => path),
      ['resources.posts.parent', 'resources.comments.parent'],
    );
    const own = nestedDocument(child('nodes', 'nodes'));
    for (const text of [own, own.replace('parent:', 'id: client, parent:')])
      assert.match(listProblems(text)[0]?.cause ?? '', /its own ancestor/);
  });

  rejectsEach([
    {
      title: 'requires an existing parent',
      text: nestedDocument(child('reviews', 'product'), top('products')),
      path: 'resources.reviews.parent',
      line: 3,
      cause: /no resource product/,
      fix: /write products/,
    },
    {
      title: 'requires a parent for on_parent_delete',
      text: nestedDocument('reviews: { schema: { type: object }, on_parent_delete: cascade }'),
      path: 'resources.reviews.on_parent_delete',
      line: 3,
      cause: /no parent/,
      fix: /remove/,
    },
    {
      title: 'cannot be nullified',
      text: nestedDocument(top('products'), child('reviews', 'products', ', on_parent_delete: nullify')),
      path: 'resources.reviews.on_parent_delete',
      line: 4,
      cause: /one of restrict, cascade/,
      fix: /restrict/,
    },
    {
      title: 'cannot declare the id of its parent',
      text: nestedDocument(
        top('products'),
        'reviews: { parent: products, schema: { type: object, properties: { product_id: { type: string } } } }',
      ),
      path: 'resources.reviews.schema.properties.product_id',
      line: 4,
      cause: /adds product_id, the id of the parent/,
      fix: /remove the field/,
    },
    {
      title: '[REP-9c] cannot have the name of a field of its parent',
      text: nestedDocument(
        'products: { schema: { type: object, properties: { reviews: { type: integer } } } }',
        child('reviews', 'products'),
      ),
      path: 'resources.reviews.parent',
      line: 4,
      cause: /relation reviews is already in use in products/,
      fix: /rename the relation/,
    },
  ]);
});
