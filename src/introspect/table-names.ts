import { toPlural } from '../model/compile/fields/names.ts';
import { snakeName } from '../infer/field-name.ts';
import { type NamedResource, ResourceNamer } from '../infer/resource-name.ts';

/** The name of a resource for a table. */
export interface TableResource extends NamedResource {
  /** The reason for a name that is not the plural of the name of the table; null for the plural. */
  readonly note: string | null;
}

/**
 * Names the resources of tables with plural nouns: `OrderLine` gives `order_lines`. A table whose name is such a noun
 * already comes before others that would get its name.
 *
 * @returns by name of the table
 */
export function nameTables(tables: readonly string[]): ReadonlyMap<string, TableResource> {
  const namer = new ResourceNamer();
  const named = tables.map((table) => ({ table, plural: toPlural(snakeName(table)) }));
  const isExact = ({ table, plural }: (typeof named)[number]): boolean => table === plural;
  const ordered = named.toSorted((one, other) => Number(isExact(other)) - Number(isExact(one)));
  return new Map(
    ordered.map(({ table, plural }) => {
      const resource = namer.name(plural);
      const note = resource.name === snakeName(plural) ? null : `the name ${plural} is reserved or in use`;
      return [table, { ...resource, note }];
    }),
  );
}
