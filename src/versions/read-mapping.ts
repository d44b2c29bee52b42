import type { Json } from '../conventions/json/json.ts';
import type { Model, Resource, SortKey } from '../model/model.ts';
import type { FilterCondition, PartCondition, PathCondition, RelationKey, RowCondition } from '../plan/condition.ts';
import { estimateEffort, effortOfRelated } from '../plan/list/effort.ts';
import { holds } from '../plan/policy/holds.ts';
import type { FieldValues, ListRead, LocatedRow, Page, RelatedPlan, Row, Visibility } from '../plan/plan.ts';
import type { ContractMapping } from './contract-mapping.ts';
import { mapped } from './sources.ts';
import type { ResourceMapping, StoredProperty } from './resource-mapping.ts';

type RelatedRead = Omit<RelatedPlan, 'visible'>;

/** Reads of an older contract as reads of stored rows, and what they return as rows of that contract (VER-5). */
export class ReadMapping {
  readonly #mappings: ContractMapping['resources'];
  readonly #stored: Model['resources'];

  /** @param stored the resources of the newest contract, which has the indexes */
  constructor({ resources }: ContractMapping, stored: Model['resources']) {
    this.#mappings = resources;
    this.#stored = stored;
  }

  list(read: ListRead): ListRead {
    const mapping = this.#mappings.get(read.resource);
    const filter = read.filter.map((condition) => this.#condition(condition, mapping));
    const order = mapping === undefined ? read.order : mapOrder(read.order, mapping);
    const stored = { ...read, ...this.columns(read.resource, read), filter, order };
    return { ...stored, effort: estimateEffort(this.#resource(read.resource), stored) };
  }

  /** The columns of a read as they are stored. */
  columns(resource: string, { columns }: Pick<ListRead, 'columns'>): Pick<ListRead, 'columns'> {
    if (columns === undefined) return {};
    return { columns: this.#mappings.get(resource)?.columns(columns) ?? columns };
  }

  related(read: RelatedRead, visible: Visibility): RelatedRead {
    const { ownedBy, field, order, resource } = read;
    const referring = this.#mappings.get(ownedBy ?? resource);
    const mapping = this.#mappings.get(resource);
    const stored = {
      ...read,
      field: referring === undefined ? field : storedPath(referring, field).path,
      order: mapping === undefined ? order : mapOrder(order, mapping),
    };
    return { ...stored, effort: effortOfRelated(this.#resource(resource), stored, visible) };
  }

  row(resource: string, row: Row): Row {
    return this.#mappings.get(resource)?.down(row) ?? row;
  }

  page(resource: string, page: Page): Page {
    const mapping = this.#mappings.get(resource);
    return mapping === undefined ? page : { ...page, rows: page.rows.map((row) => mapping.down(row)) };
  }

  located(resource: string, rows: readonly LocatedRow[]): readonly LocatedRow[] {
    const mapping = this.#mappings.get(resource);
    return mapping === undefined ? rows : rows.map(({ row, within }) => ({ row: mapping.down(row), within }));
  }

  #resource(name: string): Resource {
    const resource = this.#stored.get(name);
    if (resource === undefined) throw new Error(`the newest contract has no resource ${name}`);
    return resource;
  }

  #condition(condition: FilterCondition, mapping: ResourceMapping | undefined): FilterCondition {
    return condition.operator === 'search' ? condition : this.#part(condition, mapping);
  }

  #part(condition: PartCondition<unknown>, mapping: ResourceMapping | undefined): PartCondition<unknown> {
    switch (condition.operator) {
      case 'any': {
        const alternatives = condition.alternatives.map((each) => each.map((part) => this.#part(part, mapping)));
        return { operator: 'any', alternatives };
      }
      case 'related': {
        const { relation } = condition;
        const target = this.#mappings.get(relation.resource);
        const conditions = condition.conditions.map((part) => this.#part(part, target));
        return { ...condition, conditions, relation: mapRelation(relation, relation.inverse ? target : mapping) };
      }
      case 'not':
        return mapping === undefined ? condition : negated(pathCondition(condition.condition, mapping));
      case 'in':
      case 'nin':
      case 'exists':
      case 'contains':
      case 'starts_with':
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return mapping === undefined ? condition : pathCondition(condition, mapping);
    }
  }
}

function mapRelation(relation: RelationKey, mapping: ResourceMapping | undefined): RelationKey {
  return mapping === undefined ? relation : { ...relation, field: storedPath(mapping, relation.field).path };
}

function mapOrder(order: readonly SortKey[], mapping: ResourceMapping): readonly SortKey[] {
  return order.map(({ path, descending }) => ({ path: storedPath(mapping, path).path, descending }));
}

/** @throws {Error} the contract has no such property for a query to name */
function storedPath(mapping: ResourceMapping, path: string): StoredProperty {
  const found = mapping.property(path);
  if (found === null) throw new Error(`${mapping.older.name}.${path} is stored at no one place`);
  return found;
}

function negated(condition: PathCondition): RowCondition {
  if (condition.operator === 'in') return { ...condition, operator: 'nin' };
  return condition.operator === 'nin' ? { ...condition, operator: 'in' } : { operator: 'not', condition };
}

/** A condition on values that differ is one on those stored values whose older ones fulfil it. */
function pathCondition(condition: PathCondition, mapping: ResourceMapping): PathCondition {
  const { path, values } = storedPath(mapping, condition.path);
  if (values === null || condition.operator === 'exists') return { ...condition, path };
  const allowed = mapping.stored.properties.get(path)?.allowed ?? [];
  const isMet = (value: Json): boolean =>
    holds(mapping.older, rowWith(condition.path, mapped(value, values.down)), condition);
  return isMet(null)
    ? { path, operator: 'nin', values: allowed.filter((value) => !isMet(value)) }
    : { path, operator: 'in', values: allowed.filter(isMet) };
}

function rowWith(path: string, value: Json): FieldValues {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.reduceRight<Json>((held, member) => ({ [member]: held }), value) };
}
