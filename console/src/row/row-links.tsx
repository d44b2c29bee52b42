import { Link } from '@tanstack/react-router';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import type { RowPlace } from './use-row-editor.ts';

/** A collection with the rows of it that belong to this one. */
interface RelatedLink {
  readonly name: string;
  readonly title: string;
  readonly search: Readonly<Record<string, string>>;
}

/** Leads to the rows below this one, to those that refer to it, and to its events. */
export function RowLinks({ collection, parents, row }: RowPlace & { readonly row: Row }) {
  const { schema } = useConnection();
  const related = [...childLinks(), ...inverseLinks()];
  if (related.length === 0 && !schema.hasEvents) return null;
  return (
    <nav aria-label={texts.row.related} className="related">
      <h2>{texts.row.related}</h2>
      <ul>
        {related.map(({ name, title, search }) => (
          <li key={`${name} ${title}`}>
            <Link to="/collections/$name" params={{ name }} search={search}>
              {title}
            </Link>
          </li>
        ))}
        {schema.hasEvents && (
          <li>
            <Link to="/events" search={{ id: row.id }}>
              {texts.row.events}
            </Link>
          </li>
        )}
      </ul>
    </nav>
  );

  function childLinks(): readonly RelatedLink[] {
    return collection.children.map((name) => ({
      name,
      title: schema.collections.get(name)?.title ?? name,
      search: { parents: [...parents, row.id].join(',') },
    }));
  }

  /** A row links to each page of rows that refer to it, with the filter that finds them. */
  function inverseLinks(): readonly RelatedLink[] {
    return collection.relations.flatMap(({ name, collection: target }) => {
      const link = row.links[name];
      if (target === null || link === undefined || collection.children.includes(target)) return [];
      const filter = Object.fromEntries(new URL(link, document.baseURI).searchParams);
      return Object.keys(filter).length === 0
        ? []
        : [{ name: target, title: name.replaceAll('_', ' '), search: filter }];
    });
  }
}
