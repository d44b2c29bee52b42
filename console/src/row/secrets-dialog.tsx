import { useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** A value that only the response to a creation has. */
export interface ShownSecret {
  readonly title: string;
  readonly value: string;
}

export interface SecretsDialogProps {
  readonly secrets: readonly ShownSecret[];
  readonly onClose: () => void;
}

/** Shows secrets this once. Only its button closes it: no key or click outside loses them. */
export function SecretsDialog({ secrets, onClose }: SecretsDialogProps) {
  const [result, setResult] = useState('');
  const copy = (value: string): void => {
    navigator.clipboard.writeText(value).then(
      () => setResult(texts.row.copied),
      () => setResult(texts.row.copyFailed),
    );
  };
  return (
    <Dialog isOpen onClose={() => undefined} title={texts.row.secretTitle} description={texts.row.secretHintOnce}>
      {secrets.map(({ title, value }) => (
        <label key={title} className="field">
          <span className="label">{title}</span>
          <span className="value">
            <input className="control code" readOnly value={value} onFocus={({ target }) => target.select()} />
            <Button onClick={() => copy(value)}>{texts.row.copy(title)}</Button>
          </span>
        </label>
      ))}
      <p role="status" className="hint">
        {result}
      </p>
      <div className="actions">
        <Button look="primary" onClick={onClose}>
          {texts.row.continue}
        </Button>
      </div>
    </Dialog>
  );
}
