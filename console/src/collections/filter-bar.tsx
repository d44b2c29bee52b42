import { type FormEvent, useState } from 'react';
import { type ApiCollection, OPERATORS } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { Menu, MenuCheckbox } from '../ui/menu.tsx';
import { chosenColumns, type GridSearch, readGridFilters } from './grid-search.ts';

export interface FilterBarProps {
  readonly collection: ApiCollection;
  readonly search: GridSearch;
  readonly onChange: (search: GridSearch) => void;
}

/** Filters by the operators that each field has, and the columns. */
export function FilterBar({ collection, search, onChange }: FilterBarProps) {
  const [path, setPath] = useState(collection.filters[0]?.path ?? '');
  const [operator, setOperator] = useState('eq');
  const [value, setValue] = useState('');
  const operators = collection.filters.find((each) => each.path === path)?.operators ?? [];
  const chosen = operators.find((each) => each === operator) ?? operators[0];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen !== undefined && value !== '') onChange({ ...search, [`${path}[${chosen}]`]: value });
  };
  return (
    <>
      <form className="bar" onSubmit={submit}>
        <Field label={texts.grid.field}>
          <Select
            value={path}
            onValue={setPath}
            options={collection.filters.map((each) => ({ value: each.path, label: each.path }))}
          />
        </Field>
        <Field label={texts.grid.operator}>
          <Select
            value={chosen ?? ''}
            onValue={setOperator}
            options={OPERATORS.filter((each) => operators.includes(each)).map((each) => ({
              value: each,
              label: texts.operators[each],
            }))}
          />
        </Field>
        <Field label={chosen === 'in' || chosen === 'nin' ? texts.grid.values : texts.grid.value}>
          <Input value={value} onChange={({ currentTarget }) => setValue(currentTarget.value)} />
        </Field>
        <Button type="submit">{texts.grid.addFilter}</Button>
        <ColumnMenu collection={collection} search={search} onChange={onChange} />
      </form>
      <div className="bar">
        {readGridFilters(collection, search).map(({ name, path: filtered, operator: by, value: to }) => (
          <Button
            key={name}
            title={texts.grid.remove(name)}
            onClick={() => onChange(Object.fromEntries(Object.entries(search).filter(([each]) => each !== name)))}
          >
            {`${filtered} ${texts.operators[by]} ${to} ×`}
          </Button>
        ))}
      </div>
    </>
  );
}

function ColumnMenu({ collection, search, onChange }: FilterBarProps) {
  const chosen = new Set(chosenColumns(collection, search).map(({ name }) => name));
  const shown = collection.fields.filter(({ writeOnly, shownOnce }) => !writeOnly && !shownOnce);
  return (
    <Menu label={texts.grid.columns}>
      {shown.map(({ name, title }) => (
        <MenuCheckbox
          key={name}
          isChecked={chosen.has(name)}
          onChange={(isChecked) => {
            const names = shown
              .map((each) => each.name)
              .filter((each) => (each === name ? isChecked : chosen.has(each)));
            onChange({ ...search, columns: names.join(',') });
          }}
        >
          {title}
        </MenuCheckbox>
      ))}
    </Menu>
  );
}
