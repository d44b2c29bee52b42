import { useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import type { ConsoleConfig } from './config.ts';
import { findProvider, leaveForIssuer, signInByWindow } from './issuer-flow.ts';
import type { Provider } from './provider.ts';
import type { Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';

export interface SignInChoiceProps {
  readonly config: ConsoleConfig;
  readonly session: Session;
  /** True if the page has to stay as it is: the issuer opens in another window. */
  readonly keepsPage: boolean;
  readonly onAnonymous: (() => void) | null;
  readonly isRefused?: boolean;
  /** The failure of a sign-in that left the page. */
  readonly problem?: string | null;
}

/** The ways to sign in that the server has: at its issuer, or by a token. */
export function SignInChoice({ config, session, keepsPage, onAnonymous, isRefused, problem }: SignInChoiceProps) {
  const provider = findProvider(config);
  return (
    <>
      {provider !== null && (
        <IssuerSignIn
          provider={provider}
          session={session}
          keepsPage={keepsPage}
          problem={problem ?? (isRefused === true && !config.paste ? texts.signIn.refused : null)}
        />
      )}
      {config.paste ? (
        <SignInForm onSignIn={session.signIn} onAnonymous={onAnonymous} isRefused={isRefused ?? false} />
      ) : (
        onAnonymous !== null && (
          <Button look="quiet" onClick={onAnonymous}>
            {texts.signIn.anonymous}
          </Button>
        )
      )}
    </>
  );
}

interface IssuerSignInProps {
  readonly provider: Provider;
  readonly session: Session;
  readonly keepsPage: boolean;
  readonly problem: string | null;
}

function IssuerSignIn({ provider, session, keepsPage, problem }: IssuerSignInProps) {
  const [message, setMessage] = useState(problem);
  const [isWaiting, setWaiting] = useState(false);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const signIn = async (): Promise<void> => {
    ending.current.abort();
    ending.current = new AbortController();
    const { signal } = ending.current;
    setMessage(null);
    setWaiting(keepsPage);
    try {
      await (keepsPage ? signInByWindow(provider, session, signal) : leaveForIssuer(provider));
    } catch (error) {
      // Another attempt has taken the place of one that was ended.
      if (signal.aborted) return;
      setMessage(error instanceof Error ? error.message : String(error));
      setWaiting(false);
    }
  };
  return (
    <div className="stack">
      <Button look="primary" onClick={() => void signIn()}>
        {texts.signIn.atIssuer(new URL(provider.issuer).host)}
      </Button>
      {isWaiting && (
        <p role="status" className="hint">
          {texts.signIn.inWindow}
        </p>
      )}
      {message !== null && (
        <p role="alert" className="error-text">
          {message}
        </p>
      )}
    </div>
  );
}
