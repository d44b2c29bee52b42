import { useState } from 'react';
import { Button } from './button.tsx';

export interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly copiedLabel: string;
}

/** Copies a text. The result is announced. */
export function CopyButton({ text, label, copiedLabel }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  return (
    <span className="bar">
      <Button onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>{label}</Button>
      <span role="status" className="hint">
        {isCopied ? copiedLabel : ''}
      </span>
    </span>
  );
}

export interface ShownOnceProps extends CopyButtonProps {
  readonly name: string;
}

/** A secret that no later response has. */
export function ShownOnce({ name, text, ...copy }: ShownOnceProps) {
  return (
    <div className="field">
      <label className="field">
        <span className="label">{name}</span>
        <input className="control code" readOnly value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      </label>
      <CopyButton text={text} {...copy} />
    </div>
  );
}
