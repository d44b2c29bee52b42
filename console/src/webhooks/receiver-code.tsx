import { useState } from 'react';
import { texts } from '../texts.ts';
import { Field, Select } from '../ui/field.tsx';
import { CopyButton } from '../ui/shown-once.tsx';
import { type Language, samples } from './receiver-samples.ts';

/** A receiver that verifies signatures, in three languages. */
export function ReceiverCode() {
  const { webhooks: words } = texts;
  const [language, setLanguage] = useState<Language>('JavaScript');
  const languages = Object.keys(samples).filter((each): each is Language => each in samples);
  return (
    <details>
      <summary>{words.receiver}</summary>
      <div className="stack">
        <Field label={words.language}>
          <Select
            value={language}
            options={languages.map((value) => ({ value, label: value }))}
            onValue={(value) => setLanguage(languages.find((each) => each === value) ?? language)}
          />
        </Field>
        <pre role="region" aria-label={words.receiver} tabIndex={0}>
          {samples[language]}
        </pre>
        <CopyButton key={language} text={samples[language]} label={words.copy} copiedLabel={words.copied} />
      </div>
    </details>
  );
}
