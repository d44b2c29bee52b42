import { toPlural } from '../model/compile/fields/names.ts';
import { snakeName } from '../infer/field-name.ts';
import { type NamedResource, ResourceNamer } from '../infer/resource-name.ts';
import { type DescribedTable, unqualifiedName } from './database.ts';

/** The name of a resource for a table. */
export interface TableResource extends NamedResource {
  /** The reason for a name that is not the plural of the name of the table; null for the plural. */
  readonly note: string | null;
}

/**
 * Names the resources of tables with plural nouns: `OrderLine` gives `order_lines`. A table whose name is such a noun
 * already comes before others that would get its name, and a table before a view. A table with the name of one in
 * another schema gets that of its own schema before it.
 *
 * @returns by name of the table
 */
export function nameTables(
  tables: readonly Pick<DescribedTable, 'name' | 'schema' | 'view'>[],
): ReadonlyMap<string, TableResource> {
  const namer = new ResourceNamer();
  const named = tables.map((table) => ({ table, plural: toPlural(snakeName(unqualifiedName(table))) }));
  const rank = ({ table, plural }: (typeof named)[number]): number =>
    (table.view === null ? 0 : 2) + (unqualifiedName(table) === plural ? 0 : 1);
  const schemas = new Map<string, string | null>();
  const ordered = named.toSorted((one, other) => rank(one) - rank(other));
  return new Map(
    ordered.map(({ table: { name, schema }, plural }) => {
      const owner = schemas.get(plural) ?? schema;
      schemas.set(plural, owner);
      const resource = namer.name(schema === null || owner === schema ? plural : `${snakeName(schema)}_${plural}`);
      const note = resource.name === snakeName(plural) ? null : `the name ${plural} is reserved or in use`;
      return [name, { ...resource, note }];
    }),
  );
}
