import type { Shape, ValueType } from './value-type.ts';

/** A table or view that exists already, whose rows a resource shows. */
export interface TableSource {
  readonly table: string;
  /** The columns of the key; null for the primary key of the table. */
  readonly key: readonly string[] | null;
  /** The columns of fields that have another name, by field. */
  readonly columns: ReadonlyMap<string, string>;
  /** The columns of the times of a row; null for a resource without the member. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** The changes by other programs that become events: those that triggers of the table record, or none. */
  readonly changes: 'none' | 'triggers';
}

/** A resource, as far as its table is concerned. */
interface TabledResource {
  /** null for rows that the server stores. */
  readonly table: TableSource | null;
}

/** The resources of a model, as far as their tables are concerned. */
interface TabledModel<R = TabledResource> {
  readonly resources: ReadonlyMap<string, R>;
}

/** The times of a row that the server sets. */
const TIMES = ['created_at', 'updated_at'] as const;

/** Lists the times that the rows of a resource have: both, or those whose column is named. */
export function listTimes({ table }: TabledResource): readonly (typeof TIMES)[number][] {
  if (table === null) return TIMES;
  const columns = { created_at: table.createdAt, updated_at: table.updatedAt };
  return TIMES.filter((name) => columns[name] !== null);
}

/** The type of the times of rows. Those of other programs have microseconds. */
export function timeType({ table }: TabledResource): Extract<ValueType, { readonly kind: 'date-time' }> {
  return table === null ? { kind: 'date-time' } : { kind: 'date-time', micros: true };
}

/**
 * Makes the value that a row has nullable for a table that exists, and the items of an array. A column may be NULL, or
 * hold a misfit, and so may items.
 */
export function allowNull<T extends Shape>({ table }: TabledResource, value: T): T {
  if (table === null) return value;
  const { type } = value;
  const nullable = { ...value, nullable: true };
  return type.kind === 'array' ? { ...nullable, type: { ...type, item: { ...type.item, nullable: true } } } : nullable;
}

/** The column of a field. */
export function findColumn({ columns }: TableSource, field: string): string {
  return columns.get(field) ?? field;
}

/** True if resources of a model show tables of another program. Others may have rows that the server stores. */
export function showsTables({ resources }: TabledModel): boolean {
  return [...resources.values()].some(({ table }) => table !== null);
}

/** Lists the resources whose rows the server stores, such as webhooks and API keys. */
export function listOwnResources<R extends TabledResource>({ resources }: TabledModel<R>): readonly R[] {
  return [...resources.values()].filter(({ table }) => table === null);
}

/** True if a model has nothing but tables of another program, and changes none of them. */
export function readsTablesOnly({ resources }: TabledModel<TabledResource & { readonly readOnly: boolean }>): boolean {
  return resources.size > 0 && [...resources.values()].every(({ table, readOnly }) => table !== null && readOnly);
}
