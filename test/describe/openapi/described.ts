import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { describedContracts, type OpenApiEdition } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';

/** The descriptions of all contracts of a model document, the newest first. */
export function describeVersions(text: string, edition: OpenApiEdition = '3.1'): readonly JsonObject[] {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  return describedContracts(model).map((contract) => openApiDocument(contract, edition));
}

/** The description of the newest contract. */
export function describeNewest(text: string, edition: OpenApiEdition = '3.1'): JsonObject {
  const [newest = {}] = describeVersions(text, edition);
  return newest;
}

/** A model with every kind of field, rule and relation, and an older version. */
export const SPECIFIED = `
name: shop
title: Shop
version: 2.0.0
default_version: 2
auth: { api_keys: true, issuers: [{ issuer: https://id.example.com, audience: shop, jwks_uri: https://id.example.com/jwks }] }
require_tls: true
cors: { origins: [https://app.example.com] }
resources:
  suppliers:
    schema: { type: object, required: [name], properties: { name: { type: string, maxLength: 200 }, country: { type: string } } }
  products:
    id: { client: '^[a-z]+$' }
    search: [name]
    idempotency: required
    require_if_match: true
    unique: [[sku]]
    access: { read: public, write: { scope: products:write }, rows: { read: { any: [{ status: ACTIVE }, { owner_id: $caller.subject }] } } }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [{ to: CLOSED, scope: products:close }] } }
    generated: { token: { secret: tk_ } }
    schema:
      type: object
      required: [sku, name]
      properties:
        sku: { type: string, x-immutable: true, description: The stock keeping unit }
        name: { type: string }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2, minimum: 0 }
        currency: { type: string, enum: [EUR, USD], default: EUR }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        limit: { type: integer }
        tags: { type: array, items: { type: string }, maxItems: 20 }
        place: { type: object, required: [city], properties: { city: { type: string }, shelf: { type: integer } } }
        labels: { type: object, additionalProperties: { type: string } }
        cost: { type: number, writeOnly: true }
        owner_id: { type: string, readOnly: true }
        token: { type: string, x-shown-once: true }
        supplier_id: { type: string, x-references: { resource: suppliers, as: supplier, inverse: products } }
  reviews:
    parent: products
    on_parent_delete: cascade
    schema: { type: object, required: [stars], properties: { stars: { type: integer, minimum: 1, maximum: 5 } } }
versions:
  1.0.0:
    deprecated: 2026-06-01
    sunset: 2028-06-01
    changes:
      - { resource: products, rename: { title: name } }
      - { resource: products, without: [currency] }
      - { resource: suppliers, collection: vendors, singular: vendor }
`;

/** A model with tables that exist, of which one is only read, next to own resources. */
export const TABLES = `
name: cinema
auth: { api_keys: true, issuers: [{ issuer: https://id.example.com, audience: cinema, jwks_uri: https://id.example.com/jwks }] }
resources:
  films:
    table: public.film
    key: film_id
    updated_at: changed
    events: full
    search: [title]
    tombstones: 1d
    schema:
      type: object
      required: [title, length]
      properties:
        title: { type: string, maxLength: 200 }
        length: { type: integer, minimum: 1 }
        rating: { type: string, enum: [G, R] }
        languages: { type: array, items: { type: string } }
        pin: { type: string, writeOnly: true }
        genre_id: { type: string, x-references: { resource: genres, inverse: films } }
  order_lines:
    table: Order Line
    key: [order_id, number]
    schema: { type: object, required: [order_id, number], properties: { order_id: { type: integer }, number: { type: integer }, note: { type: string } } }
  cheap_films: { table: cheap, key: film_id, read_only: true, schema: { type: object, properties: { title: { type: string } } } }
  genres: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
  reviews:
    schema: { type: object, required: [film_id], properties: { film_id: { type: string, x-references: films }, stars: { type: integer } } }
`;
