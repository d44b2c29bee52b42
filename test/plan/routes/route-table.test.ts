import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { METRICS_SCOPE, routeRules } from '../../../src/plan/routes/operation-rules.ts';
import { type RouteKind, ROUTES, writeRoutePattern } from '../../../src/plan/routes/route-table.ts';

const DOCUMENT = `
name: shop
title: Shop
version: 1.0.0
base_path: /api
auth: { api_keys: true }
resources:
  products:
    id: client
    access: { read: public, create: { scope: products:create }, update: { scope: products:update } }
    schema: { type: object, properties: { name: { type: string } } }
  reviews:
    parent: products
    schema: { type: object, properties: { stars: { type: integer } } }
`;

function compile(text: string): Model {
  return loadModel({ file: 'model.yaml', text, env: {} }).model;
}

const model = compile(DOCUMENT);
const KINDS = Object.keys(ROUTES) as readonly RouteKind[];

describe('writeRoutePattern', () => {
  const patterns: Readonly<Record<Exclude<RouteKind, 'collection' | 'item'>, string>> = {
    server: '*',
    live: '/livez',
    ready: '/readyz',
    metrics: '/metrics',
    metadata: '/.well-known/oauth-protected-resource/api',
    openapi: '/openapi.json',
    asyncapi: '/asyncapi.json',
    llms: '/llms.txt',
    mcp: '/api/mcp',
    docs: '/docs',
    console: '/console',
    home: '/',
    root: '/api',
    batches: '/api/batches',
    batch: '/api/batches/{id}',
    events: '/api/events',
    event: '/api/events/{id}',
  };

  it('writes the path of every route that has no resource (URL-1)', () => {
    const kinds = Object.keys(patterns) as readonly (keyof typeof patterns)[];
    assert.deepEqual(Object.fromEntries(kinds.map((kind) => [kind, writeRoutePattern(kind, { model })])), patterns);
  });

  it('names the parameter of each row above a collection (URL-7)', () => {
    const resource = model.resources.get('reviews') ?? assert.fail('the model has reviews');
    const at = { model, resource, base: '/api/v1' };
    assert.equal(writeRoutePattern('collection', at), '/api/v1/products/{product_id}/reviews');
    assert.equal(writeRoutePattern('item', at), '/api/v1/products/{product_id}/reviews/{id}');
  });

  it('writes a slash for the root of an API without a base path', () => {
    assert.equal(writeRoutePattern('root', { model, base: '' }), '/');
  });

  it('refuses a collection without its resource', () => {
    assert.throws(() => writeRoutePattern('collection', { model }), /is of a resource/);
  });
});

describe('routeRules', () => {
  const products = model.resources.get('products') ?? assert.fail('the model has products');
  const rulesByKind = (of: Model, method: 'GET' | 'OPTIONS'): object =>
    Object.fromEntries(KINDS.map((kind) => [kind, routeRules({ kind, method, resource: products }, of)]));

  it('admits every caller to health and descriptions, and asks for credentials elsewhere (AUTH-4)', () => {
    const authenticated = [{ kind: 'authenticated' }];
    const events = [{ kind: 'scope', scope: 'events:read' }];
    assert.deepEqual(rulesByKind(model, 'GET'), {
      server: [],
      live: [],
      ready: [],
      metrics: [{ kind: 'scope', scope: METRICS_SCOPE }],
      metadata: [],
      openapi: [],
      asyncapi: [],
      llms: [],
      mcp: authenticated,
      docs: [],
      console: [],
      home: [],
      root: authenticated,
      collection: [],
      item: [],
      batches: authenticated,
      batch: authenticated,
      events,
      event: events,
    });
  });

  it('needs no credentials for OPTIONS, nor for anything of a model without auth', () => {
    const open = Object.fromEntries(KINDS.map((kind) => [kind, []]));
    assert.deepEqual(rulesByKind(model, 'OPTIONS'), open);
    assert.deepEqual(rulesByKind({ ...model, auth: null }, 'GET'), open);
  });

  it('asks for credentials for descriptions if the model serves them to callers with a token only', () => {
    const closed: Model = { ...model, descriptions: 'authenticated' };
    const rules = (['openapi', 'asyncapi', 'llms', 'docs'] as const).map((kind) =>
      routeRules({ kind, method: 'GET', resource: null }, closed),
    );
    const authenticated = [{ kind: 'authenticated' }];
    assert.deepEqual(rules, [authenticated, authenticated, authenticated, []]);
  });

  it('needs the rules of create and update for a PUT that could create', () => {
    assert.deepEqual(routeRules({ kind: 'item', method: 'PUT', resource: products }, model), [
      { kind: 'scope', scope: 'products:create' },
      { kind: 'scope', scope: 'products:update' },
    ]);
  });
});
