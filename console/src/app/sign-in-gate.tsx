import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useSyncExternalStore } from 'react';
import { createCalls } from '../api/calls.ts';
import { ConnectionContext } from '../api/connection.ts';
import { loadSchema } from '../api/load-schema.ts';
import { type ConsoleConfig, loadConfig } from '../session/config.ts';
import type { ApiSchema } from '../schema/api-schema.ts';
import type { Session } from '../session/session.ts';
import { SignInForm } from '../session/sign-in-form.tsx';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure, Loading } from '../ui/notice.tsx';

interface GateProps {
  readonly session: Session;
  readonly children: ReactNode;
}

/** Reads the configuration and the description of the API, and asks for a caller if they need one. */
export function SignInGate({ session, children }: GateProps) {
  const { data: config, error, refetch } = useQuery({ queryKey: ['config'], queryFn: loadConfig });
  if (config === undefined)
    return error === null ? (
      <Loading text={texts.loading} />
    ) : (
      <StartFailure error={error} onRetry={() => void refetch()} />
    );
  return (
    <SchemaGate config={config} session={session}>
      {children}
    </SchemaGate>
  );
}

function SchemaGate({ config, session, children }: GateProps & { readonly config: ConsoleConfig }) {
  const { token, isAnonymous } = useSyncExternalStore(session.subscribe, session.read);
  // The document that is open stays open while another token is read for it.
  const { data, error, refetch } = useQuery({
    queryKey: ['schema', config.release, token],
    queryFn: () => loadSchema(config, session),
    placeholderData: (previous) => previous,
  });
  useEffect(() => {
    document.title = config.title;
  }, [config.title]);
  if (data === undefined)
    return error === null ? (
      <Loading text={texts.loading} />
    ) : (
      <StartFailure error={error} onRetry={() => void refetch()} />
    );
  const { schema } = data;
  const wantsCaller = schema === null || (schema.hasCallers && token === null && !isAnonymous);
  if (wantsCaller)
    return (
      <main className="sign-in">
        <h1>{texts.signIn.title(config.title)}</h1>
        <SignInForm
          onSignIn={session.signIn}
          onAnonymous={schema === null ? null : session.continueAnonymously}
          isRefused={schema === null && data.refused}
        />
      </main>
    );
  return (
    <Connected config={config} schema={schema} session={session}>
      {children}
    </Connected>
  );
}

function Connected({
  config,
  schema,
  session,
  children,
}: GateProps & { readonly config: ConsoleConfig; readonly schema: ApiSchema }) {
  const { isAsking } = useSyncExternalStore(session.subscribe, session.read);
  const connection = useMemo(
    () => ({ config, schema, session, calls: createCalls(config, schema, session) }),
    [config, schema, session],
  );
  return (
    <ConnectionContext value={connection}>
      {children}
      <Dialog
        isOpen={isAsking}
        onClose={session.dismiss}
        title={texts.signIn.again}
        description={texts.signIn.ended}
        closeLabel={texts.cancel}
      >
        <SignInForm onSignIn={session.signIn} onAnonymous={null} />
      </Dialog>
    </ConnectionContext>
  );
}

function StartFailure({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <main className="sign-in">
      <h1>{texts.startFailed}</h1>
      <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={onRetry} />
    </main>
  );
}
