import assert from 'node:assert/strict';
import type { CursorSeal } from '../../src/conventions/pagination/cursor.ts';
import { parseQuery } from '../../src/conventions/url/query.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Model, Resource } from '../../src/model/model.ts';
import { compileValidators, type ResourceValidator } from '../../src/model/values/resource-validator.ts';
import type { DraftRule } from '../../src/plan/write/draft.ts';
import { EVERY_FIELD } from '../../src/plan/policy/field-permission.ts';
import { type FilterRule, filterRule, type Validators } from '../../src/plan/filter/filter-rule.ts';
import { readFilter } from '../../src/plan/filter/filter.ts';
import { filterShape } from '../../src/plan/filter/filter-shape.ts';
import type { FilterCondition } from '../../src/plan/condition.ts';
import { type ListQuery, type ListRule, listRule, readListQuery } from '../../src/plan/list/list-query.ts';
import type { Ancestor, Row } from '../../src/plan/plan.ts';

/** A resource of a document, with its validator. */
export interface Compiled {
  readonly model: Model;
  readonly resource: Resource;
  readonly validator: ResourceValidator;
  /** The resources of the model. */
  readonly validators: Validators;
  readonly filters: FilterRule;
}

export function compiled(document: string, name: string): Compiled {
  const { model } = loadModel({ file: 'model.yaml', text: document, env: {} });
  const resource = model.resources.get(name) ?? assert.fail(`the model has no ${name}`);
  const validators = compileValidators(model);
  const validator = validators.get(name) ?? assert.fail(`nothing validates ${name}`);
  return { model, resource, validator, validators, filters: filterRule(model, resource, validators) };
}

/** The conditions of a query string that has only filters. */
export function readFilters(text: string, filters: FilterRule): readonly FilterCondition[] {
  const parameters = parseQuery(text);
  const names = parameters.map(({ name }) => name);
  return readFilter(parameters, filterShape(names, [...names.keys()], filters));
}

/** A document with one resource `items`: its properties, and further members. */
export function itemsDocument(properties: string, rest = '{}'): string {
  const { required, ...others } = JSON.parse(rest) as { required?: readonly string[] };
  const members = Object.entries(others).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
  return `name: shop
version: 1.0.0
resources:
  others: { schema: { type: object, properties: { name: { type: string } } } }
  items:
    schema: { type: object, required: ${JSON.stringify(required ?? [])}, properties: { ${properties} } }
${members.join('')}`;
}

export function draftRule(
  { resource, validator }: Pick<Compiled, 'resource' | 'validator'>,
  lenient = false,
): DraftRule {
  const rule = { resource, validator, checkUrl: () => null, lenient, scopeError: () => null };
  return { ...rule, checkSize: () => {}, permission: EVERY_FIELD, fills: {} };
}

/** A seal without encryption, so that tests can read and forge tokens. */
export const plainSeal: CursorSeal = {
  seal: (plain) => Buffer.from(plain).toString('base64url'),
  open: (token) => (token === '' ? null : Buffer.from(token, 'base64url').toString()),
};

export function compileRule({ model, resource, validators }: Compiled): ListRule {
  return listRule(model, resource, { validators, seal: plainSeal, scope: '' });
}

/** The query of a collection, from the string after the question mark. */
export function readQuery(rule: ListRule, text: string, within: readonly Ancestor[] = [], lenient = false): ListQuery {
  return readListQuery(rule, within, parseQuery(text), lenient);
}

/** A row as a store returns it. */
export function makeRow(fields: Readonly<Record<string, Row[string]>> = {}): Row {
  const at = '2026-01-02T03:04:05.678Z';
  return { id: 'r', ...fields, created_at: at, updated_at: at, revision: 7 };
}
