import { type FormEvent, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';

export interface SignInFormProps {
  readonly onSignIn: (token: string) => void;
  /** Continues without a caller; null if that is not offered. */
  readonly onAnonymous: (() => void) | null;
  readonly isRefused?: boolean;
}

/** Asks for a token or an API key. */
export function SignInForm({ onSignIn, onAnonymous, isRefused = false }: SignInFormProps) {
  const [token, setToken] = useState('');
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() === '') setMissing(true);
    else onSignIn(token.trim());
  };
  const error = isMissing ? texts.signIn.missing : isRefused ? texts.signIn.refused : null;
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <Field label={texts.signIn.label} hint={texts.signIn.hint} error={error}>
        <Input
          type="password"
          autoComplete="off"
          value={token}
          onChange={({ currentTarget }) => {
            setToken(currentTarget.value);
            setMissing(false);
          }}
        />
      </Field>
      <div className="actions">
        <Button type="submit" look="primary">
          {texts.signIn.submit}
        </Button>
        {onAnonymous !== null && (
          <Button look="quiet" onClick={onAnonymous}>
            {texts.signIn.anonymous}
          </Button>
        )}
      </div>
    </form>
  );
}
