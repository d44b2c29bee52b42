import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createCalls } from '../api/calls.ts';
import { ConnectionContext } from '../api/connection.ts';
import { loadSchema } from '../api/load-schema.ts';
import { type ConsoleConfig, loadConfig } from '../session/config.ts';
import type { ApiSchema } from '../schema/api-schema.ts';
import type { Session } from '../session/session.ts';
import { findProvider, finishReturn } from '../session/issuer-flow.ts';
import { SignInChoice } from '../session/sign-in-choice.tsx';
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
    <ReturnGate config={config} session={session}>
      {children}
    </ReturnGate>
  );
}

interface ConfiguredProps extends GateProps {
  readonly config: ConsoleConfig;
}

/** Finishes a sign-in that comes back from the issuer, before anything is read. */
function ReturnGate({ config, session, children }: ConfiguredProps) {
  const { data } = useQuery({
    queryKey: ['return'],
    queryFn: () => finishReturn(findProvider(config), session),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return <Loading text={texts.loading} />;
  if (data.isWindow)
    return (
      <main className="sign-in">
        <h1>{config.title}</h1>
        <p role="status">{texts.signIn.returned}</p>
        <a href={location.pathname}>{texts.signIn.start}</a>
      </main>
    );
  return (
    <SchemaGate config={config} session={session} problem={data.problem}>
      {children}
    </SchemaGate>
  );
}

function SchemaGate({ config, session, problem, children }: ConfiguredProps & { readonly problem: string | null }) {
  const { token, isAnonymous } = useSyncExternalStore(session.subscribe, session.read);
  // The document that is open stays open while another token is read for it.
  const { data, error, refetch } = useQuery({
    queryKey: ['schema', config.release, token],
    queryFn: () => loadSchema(config, session),
    placeholderData: (previous) => previous,
  });
  // What was read before serves an open form where the description is refused to another token, or fails.
  const [before, setBefore] = useState<ApiSchema | null>(null);
  const found = data?.schema ?? null;
  if (found !== null && found !== before) setBefore(found);
  useEffect(() => {
    document.title = config.title;
  }, [config.title]);
  const isSignedOut = token === null && !isAnonymous;
  const schema = found ?? (isSignedOut ? null : before);
  if (schema === null && data === undefined)
    return error === null ? (
      <Loading text={texts.loading} />
    ) : (
      <StartFailure error={error} onRetry={() => void refetch()} />
    );
  const wantsCaller = schema === null || (schema.hasCallers && token === null && !isAnonymous);
  if (wantsCaller)
    return (
      <main className="sign-in">
        <h1>{texts.signIn.title(config.title)}</h1>
        <SignInChoice
          config={config}
          session={session}
          keepsPage={false}
          onAnonymous={schema === null ? null : session.continueAnonymously}
          isRefused={data?.schema === null && data.refused}
          problem={problem}
        />
      </main>
    );
  return (
    <Connected config={config} schema={schema} session={session}>
      {found === null && (
        <Failure
          title={texts.staleSchema}
          text={error?.message ?? ''}
          retryLabel={texts.retry}
          onRetry={() => void refetch()}
        />
      )}
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
        <SignInChoice config={config} session={session} keepsPage onAnonymous={null} />
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
