import { Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { VirtualList } from '../ui/virtual-list.tsx';

const ROW_HEIGHT = 32;

/** The collections, found by a part of their names, and the other views. */
export function Navigation() {
  const { schema } = useConnection();
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const all = useMemo(() => [...schema.collections.values()], [schema]);
  const found = useMemo(
    () => all.filter(({ name, title }) => name.includes(wanted) || title.toLowerCase().includes(wanted)),
    [all, wanted],
  );
  return (
    <nav id="navigation" className="navigation" aria-label={texts.navigation.label}>
      <label className="field">
        <span className="label">{texts.navigation.filter}</span>
        <input
          type="search"
          className="control"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p className="hint" role="status">
        {texts.navigation.count(found.length)}
      </p>
      <VirtualList
        count={found.length}
        rowHeight={ROW_HEIGHT}
        label={texts.navigation.collections}
        className="names"
        keyAt={(index) => found[index]?.name ?? ''}
        renderRow={(index) => {
          const { name = '', title = '' } = found[index] ?? {};
          return (
            <Link className="entry" to="/collections/$name" params={{ name }} search={{}}>
              {title}
            </Link>
          );
        }}
      />
      <OtherViews hasEvents={schema.hasEvents} hasCallers={schema.hasCallers} />
    </nav>
  );
}

function OtherViews({ hasEvents, hasCallers }: { readonly hasEvents: boolean; readonly hasCallers: boolean }) {
  const { events, webhooks, keys, versions, health } = texts.navigation;
  const views = [
    ...(hasEvents ? [['/events', events] as const, ['/webhooks', webhooks] as const] : []),
    ...(hasCallers ? [['/keys', keys] as const] : []),
    ['/versions', versions] as const,
    ['/health', health] as const,
  ];
  return (
    <ul className="views">
      {views.map(([to, label]) => (
        <li key={to}>
          <Link className="entry" to={to} search={{}}>
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
