import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { listEventCollections, listEventTypes, readEventFilter, type Span, SPANS } from './event-log.ts';

/** The filters of the log, kept in the URL. */
export function EventFilters({ search }: { readonly search: Readonly<Record<string, string>> }) {
  const { schema } = useConnection();
  const navigate = useNavigate();
  const { events: words } = texts;
  const filter = readEventFilter(search);
  const change = (changes: Readonly<Record<string, string>>): void => {
    const all = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== '');
    void navigate({ to: '/events', search: Object.fromEntries(all) });
  };
  const any = { value: '', label: words.any };
  const types = listEventTypes(schema, filter.collection);
  const known = filter.type === null || types.includes(filter.type) ? types : [filter.type, ...types];
  const spans = Object.keys(SPANS).filter((each): each is Span => each in SPANS);
  const times = filter.from === null ? [] : [{ value: filter.from, label: new Date(filter.from).toLocaleString() }];
  return (
    <div className="filter-bar">
      <Field label={words.collection}>
        <Select
          value={filter.collection ?? ''}
          options={[any, ...listEventCollections(schema).map(({ name, title }) => ({ value: name, label: title }))]}
          onValue={(collection) => change({ collection, type: '' })}
        />
      </Field>
      <Field label={words.type}>
        <Select
          value={filter.type ?? ''}
          options={[any, ...known.map((each) => ({ value: each, label: each }))]}
          onValue={(type) => change({ type })}
        />
      </Field>
      <Field label={words.since}>
        <Select
          value={filter.from ?? filter.span}
          options={[...times, ...spans.map((each) => ({ value: each, label: words.spans[each] }))]}
          onValue={(since) => change({ since, from: '' })}
        />
      </Field>
      <IdFilter key={`row ${filter.rowId}`} label={words.rowId} value={filter.rowId} onValue={(id) => change({ id })} />
      <IdFilter
        key={`request ${filter.correlation}`}
        label={words.correlation}
        value={filter.correlation}
        onValue={(correlation) => change({ correlation })}
      />
    </div>
  );
}

interface IdFilterProps {
  readonly label: string;
  readonly value: string | null;
  readonly onValue: (value: string) => void;
}

/** A filter that is applied when it is sent, not while it is typed. */
function IdFilter({ label, value, onValue }: IdFilterProps) {
  const [text, setText] = useState(value ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onValue(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Field label={label}>
        <div className="control-with-button">
          <Input value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
          <Button type="submit" aria-label={texts.events.applyFilter(label)}>
            {texts.grid.apply}
          </Button>
        </div>
      </Field>
    </form>
  );
}
