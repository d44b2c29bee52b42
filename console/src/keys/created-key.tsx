import { useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';

/** Shows a new key once, to be copied. */
export function CreatedKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const [message, setMessage] = useState('');
  const copy = (): void => {
    // Without a secure context there is no clipboard.
    const copied = navigator.clipboard?.writeText(value) ?? Promise.reject(new TypeError('no clipboard'));
    copied.then(
      () => setMessage(texts.keys.copied),
      () => setMessage(texts.keys.notCopied),
    );
  };
  return (
    <>
      <input
        className="control secret"
        readOnly
        aria-label={texts.keys.key}
        value={value}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <p role="status" className="hint">
        {message}
      </p>
      <div className="actions">
        <Button look="primary" onClick={copy}>
          {texts.keys.copy}
        </Button>
        <Button onClick={onClose}>{texts.keys.done}</Button>
      </div>
    </>
  );
}
