import { formatValue } from './json-values.ts';
import type { ComponentProps } from 'react';
import type { ApiField, FieldKind } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Input, Select, TextArea } from '../ui/field.tsx';

export interface ScalarInputProps {
  readonly field: ApiField;
  readonly text: string | null;
  readonly onText: (text: string | null) => void;
}

const NOT_SET = { value: '', label: texts.row.notSet };
const ANSWERS = [
  { value: 'true', label: texts.row.yes },
  { value: 'false', label: texts.row.no },
];

/** Kinds of which an empty text is a value. */
const TEXTS: ReadonlySet<FieldKind> = new Set(['string', 'text']);

/** The control for a value that is written as a text. */
export function ScalarInput({ field, text, onText }: ScalarInputProps) {
  const { kind, options, required } = field;
  const change = (value: string): void => onText(value === '' && !TEXTS.has(kind) ? null : value);
  if (kind === 'boolean' || kind === 'enum') {
    const known = kind === 'boolean' ? ANSWERS : (options ?? []).map(showOption);
    const isBlank = text === null || !required;
    return (
      <Select
        options={isBlank ? [NOT_SET, ...known] : known}
        value={text ?? ''}
        aria-required={required}
        onValue={change}
      />
    );
  }
  const props = { value: text ?? '', placeholder: text === null ? texts.row.notSet : undefined };
  if (kind === 'text' || kind === 'json')
    return (
      <TextArea
        {...props}
        rows={kind === 'json' ? 6 : 4}
        className={kind === 'json' ? 'code' : undefined}
        spellCheck={kind === 'text'}
        aria-required={required}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  return (
    <Input
      {...props}
      {...inputType(field)}
      aria-required={required}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function showOption(option: unknown): { readonly value: string; readonly label: string } {
  const text = formatValue(option) ?? '';
  return { value: text, label: text };
}

function inputType({ kind: found, writeOnly }: ApiField): ComponentProps<'input'> {
  if (writeOnly) return { type: 'password', autoComplete: 'new-password' };
  const kind: string = found;
  switch (kind) {
    case 'date':
      return { type: 'date' };
    case 'integer':
    case 'int64':
      return { inputMode: 'numeric', autoComplete: 'off' };
    case 'number':
    case 'decimal':
      return { inputMode: 'decimal', autoComplete: 'off' };
    default:
      return { autoComplete: 'off' };
  }
}
