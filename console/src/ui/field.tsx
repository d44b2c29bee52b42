import { Field as Base } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** The control: `Input`, `Select` or `TextArea`. */
  readonly children: ReactNode;
}

/** A labelled control with a hint and an error, which are announced with it. */
export function Field({ label, hint, error = null, children }: FieldProps) {
  return (
    <Base.Root className="field" invalid={error !== null}>
      <Base.Label className="label">{label}</Base.Label>
      {children}
      {hint !== undefined && hint !== null && <Base.Description className="hint">{hint}</Base.Description>}
      {error !== null && (
        <Base.Error className="error-text" match>
          {error}
        </Base.Error>
      )}
    </Base.Root>
  );
}

/** A line of text. Its direction is that of its first letter. */
export function Input(props: ComponentProps<'input'>) {
  return <Base.Control className="control" render={<input dir="auto" {...props} />} />;
}

/** A text whose first letter is of a script that is written from right to left. */
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Characters in which the first letter is looked for. */
const FIRST = 200;

/**
 * Lines of text, in the direction of their first letter. `dir="auto"` would find that of each line: for 1 MiB of text a
 * browser then takes a minute.
 */
export function TextArea(props: ComponentProps<'textarea'>) {
  const isReversed = typeof props.value === 'string' && RIGHT_TO_LEFT.test(props.value.slice(0, FIRST));
  return <Base.Control className="control" render={<textarea dir={isReversed ? 'rtl' : undefined} {...props} />} />;
}

export interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue: (value: string) => void;
}

/** One of few values. The control of the platform: every phone and reader knows it. */
export function Select({ options, onValue, ...props }: SelectProps) {
  const control = (
    <select {...props} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
  return <Base.Control className="control" render={control} />;
}
