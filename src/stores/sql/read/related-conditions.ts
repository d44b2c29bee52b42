import type { Resource } from '../../../model/model.ts';
import { referringMembers } from '../../../model/row-key.ts';
import { type FilterCondition, holdsForUnset } from '../../../plan/condition.ts';
import { listIndexes } from '../../../plan/list/indexes.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import type { VisibleRelatedCondition } from '../../../plan/plan.ts';
import type { Links } from '../operand.ts';
import { rowValue } from '../operand.ts';
import type { Table } from '../tables.ts';
import type { ConditionContext } from './condition-context.ts';
import { type Filter, compileFilter } from './filter.ts';

/** The conditions of a filter in a context. */
type Where = (context: ConditionContext, filter: Filter) => readonly string[];

/** The condition that a related row exists that fulfills conditions. @param where generates the conditions on it */
export function related(context: ConditionContext, condition: VisibleRelatedCondition, where: Where): string {
  const rows = new RelatedQuery(context, condition, where);
  return condition.relation.inverse ? rows.referTo() : rows.areReferredTo();
}

/** The visible rows that are related to those of a table. */
class RelatedQuery {
  readonly #context: ConditionContext;
  readonly #related: VisibleRelatedCondition;
  readonly #where: Where;
  /** The table of the related rows. */
  readonly #target: Table;

  constructor(context: ConditionContext, condition: VisibleRelatedCondition, where: Where) {
    this.#context = context;
    this.#related = condition;
    this.#where = where;
    this.#target = context.tables.related(condition.relation.resource, context.table);
  }

  /**
   * The row refers to one that fulfills the conditions. What a filter refers to are few rows, which are collected
   * first: an index on the field then finds the rows that refer to them. A rule looks its row up by its key.
   */
  areReferredTo(): string {
    const { table, isRule } = this.#context;
    const { conditions, relation } = this.#related;
    const links = table.links(relation.field);
    if (links !== null) return `${table.keyExpression} in (${selectOwners(links, this.#query(this.#key, conditions))})`;
    const columns = referringMembers(table.resource, relation.field).map((name) => table.column(name));
    const leads = isRule
      ? `exists (${this.#query('1', conditions, this.#hasKey(columns))})`
      : `${rowValue(columns)} in (${this.#query(this.#key, conditions)})`;
    return conditions.every(holdsForUnset) ? `(${leads} or ${this.#leadsToNone(columns)})` : leads;
  }

  /**
   * A row that fulfills the conditions refers to the row. Referring rows are many, and often the first one fulfills the
   * conditions. Each row looks for it in the index on their field, unless an index finds the few that fulfill the
   * conditions.
   */
  referTo(): string {
    const { table } = this.#context;
    const { conditions, relation } = this.#related;
    const target = this.#target;
    const links = target.links(relation.field);
    const referring =
      links?.target ?? referringMembers(target.resource, relation.field).map((name) => target.column(name));
    if (findsFew(target.resource, conditions)) {
      const found = this.#query(links === null ? referring.join(', ') : this.#key, conditions);
      return `${table.keyExpression} in (${links === null ? found : selectTargets(links, found)})`;
    }
    const same = referring.map((column, index) => `${column} = ${table.column(table.key[index] ?? '')}`).join(' and ');
    const owners = links === null ? '' : `select ${links.owner.join(', ')} from ${links.name} where ${same}`;
    const refers = links === null ? same : `${target.keyExpression} in (${owners})`;
    return `exists (${this.#query('1', conditions, refers)})`;
  }

  /** The columns of the key of the related rows. */
  get #key(): string {
    return this.#target.key.map((name) => this.#target.column(name)).join(', ');
  }

  #hasKey(columns: readonly string[]): string {
    const { key } = this.#target;
    return columns.map((column, index) => `${this.#target.column(key[index] ?? '')} = ${column}`).join(' and ');
  }

  /** A query of the visible related rows that fulfill conditions. @param refers a further condition */
  #query(selection: string, conditions: VisibleRelatedCondition['conditions'], refers?: string): string {
    const { deadline } = this.#context;
    const filter = compileFilter(this.#target, conditions, visibleConditions(this.#related.visible));
    const all = [
      ...deadline.row,
      ...(refers === undefined ? [] : [refers]),
      ...this.#where({ ...this.#context, table: this.#target }, filter),
    ];
    const text = `select ${selection} from ${this.#target.source}`;
    return all.length === 0 ? text : `${text} where ${all.join(' and ')}`;
  }

  /** A reference leads to no visible row. Foreign keys make sure that there is a row. */
  #leadsToNone(columns: readonly string[]): string {
    const [first = ''] = columns;
    if (this.#related.visible.kind === 'everything') return `${first} is null`;
    return `${first} is null or not exists (${this.#query('1', [], this.#hasKey(columns))})`;
  }
}

/** The keys of the rows whose arrays have one of the keys of a query. */
function selectOwners({ name, owner, target }: Links, keys: string): string {
  return `select ${owner.join(', ')} from ${name} where ${rowValue(target)} in (${keys})`;
}

/** The keys that are in the arrays of the rows of a query. */
function selectTargets({ name, owner, target }: Links, keys: string): string {
  return `select ${target.join(', ')} from ${name} where ${rowValue(owner)} in (${keys})`;
}

/** True if an index finds the rows that fulfill conditions by one of many values. */
function findsFew(resource: Resource, conditions: readonly FilterCondition[]): boolean {
  const isSelective = (path: string): boolean => {
    const property = resource.properties.get(path);
    const isIndexed = path === 'id' || listIndexes(resource).some(({ keys }) => keys[0]?.path === path);
    return isIndexed && property?.allowed === null && property.type.kind !== 'boolean';
  };
  return conditions.some((each) => each.operator === 'in' && isSelective(each.path));
}
