import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useConnection } from '../api/connection.ts';
import { loadConfig } from '../session/config.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Milliseconds between two looks at the version of the server. */
const VERSION_CHECK = 60_000;

/** Notes across the page: no network, and a server of another version. */
export function Notices() {
  const { config } = useConnection();
  const isOnline = useSyncExternalStore(watchNetwork, () => navigator.onLine);
  const { data } = useQuery({ queryKey: ['version'], queryFn: loadConfig, refetchInterval: VERSION_CHECK });
  return (
    <>
      {!isOnline && <Notice>{texts.offline}</Notice>}
      {data !== undefined && data.release !== config.release && (
        <Notice>
          {texts.otherVersion} <Button onClick={() => location.reload()}>{texts.reload}</Button>
        </Notice>
      )}
    </>
  );
}

function watchNetwork(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
