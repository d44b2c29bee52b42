import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnection } from '../api/connection.ts';
import type { Row } from '../api/calls.ts';
import type { ApiCollection, ApiField, Reference } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Combobox, type ComboboxOption } from '../ui/combobox.tsx';
import { findNameField } from './row-fields.ts';
import { ScalarInput } from './scalar-input.tsx';

const FOUND = 20;

export interface ReferenceInputProps {
  readonly field: ApiField;
  readonly reference: Reference;
  /** The id; null for none. */
  readonly text: string | null;
  readonly label: string;
  readonly onText: (text: string | null) => void;
}

/** Finds an item of another collection by its name. One that cannot be searched is named by its id. */
export function ReferenceInput(props: ReferenceInputProps) {
  const { schema } = useConnection();
  const target = schema.collections.get(props.reference.collection);
  const isSearched = target?.methods.has('list') === true && target.parent === null;
  return (
    <div className="stack">
      {target !== undefined && isSearched ? <FoundReference {...props} target={target} /> : <ScalarInput {...props} />}
      {props.text !== null && target?.parent === null && (
        <Link to="/collections/$name/$id" params={{ name: target.name, id: props.text }} search={{}}>
          {texts.row.open(target.singular)}
        </Link>
      )}
    </div>
  );
}

function FoundReference({ target, text, label, onText }: ReferenceInputProps & { readonly target: ApiCollection }) {
  const { calls } = useConnection();
  const [typed, setTyped] = useState('');
  const named = findNameField(target);
  const toOption = (row: Row): ComboboxOption => ({ value: row.id, label: nameRow(row, named) });
  const chosen = useQuery({
    queryKey: ['row', target.name, [], text],
    queryFn: () => calls.run(() => calls.collection(target).get(text ?? '')),
    enabled: text !== null && text !== '',
  });
  const value = text === null ? null : chosen.data?.id === text ? toOption(chosen.data) : { value: text, label: text };
  const search = typed === value?.label ? '' : typed.trim();
  const found = useQuery({
    queryKey: ['found', target.name, search],
    queryFn: () => calls.run(() => calls.collection(target).page({ ...searchBy(target, named, search), limit: FOUND })),
    placeholderData: (previous) => previous,
  });
  return (
    <Combobox
      label={label}
      options={(found.data?.data ?? []).map(toOption)}
      value={value}
      onValue={(option) => onText(option?.value ?? null)}
      onSearch={setTyped}
      placeholder={texts.row.searchIn(target.title)}
      emptyText={texts.row.noneFound}
    />
  );
}

/** The best search that a collection has: `q`, else a filter of its names, else of ids. */
function searchBy(target: ApiCollection, named: ApiField | null, text: string) {
  if (text === '') return {};
  if (target.search === true) return { q: text };
  const filter = target.filters.find(({ path }) => path === named?.name);
  const operator = filter?.operators.find((each) => each === 'contains' || each === 'starts_with');
  return {
    filter: filter === undefined || operator === undefined ? { id: text } : { [filter.path]: { [operator]: text } },
  };
}

function nameRow(row: Row, named: ApiField | null): string {
  const name = named === null ? null : row[named.name];
  return typeof name === 'string' && name !== '' ? name : row.id;
}
