import { useId, useState } from 'react';
import { texts } from '../texts.ts';

/** The most scopes that are in the page. */
const MOST_SHOWN = 200;

export interface ScopeChoiceProps {
  readonly known: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  readonly error: string | null;
}

/** Scopes to check, found by a part of their names. */
export function ScopeChoice({ known, chosen, onChange, error }: ScopeChoiceProps) {
  const [text, setText] = useState('');
  const problem = useId();
  const found = known.filter((scope) => scope.includes(text.trim().toLowerCase()));
  const change = (scope: string, isChosen: boolean): void => {
    const rest = [...chosen].filter((each) => each !== scope);
    onChange(new Set(isChosen ? [...rest, scope] : rest));
  };
  return (
    <fieldset className="scopes" aria-describedby={error === null ? undefined : problem}>
      <legend className="label">{texts.keys.scopes}</legend>
      {known.length > 8 && (
        <input
          type="search"
          className="control"
          aria-label={texts.keys.findScope}
          placeholder={texts.keys.findScope}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div className="scope-list">
        {found.slice(0, MOST_SHOWN).map((scope) => (
          <label key={scope} className="scope">
            <input
              type="checkbox"
              checked={chosen.has(scope)}
              onChange={({ currentTarget }) => change(scope, currentTarget.checked)}
            />
            <code>{scope}</code>
          </label>
        ))}
      </div>
      {error !== null && (
        <p id={problem} className="error-text">
          {error}
        </p>
      )}
    </fieldset>
  );
}
