import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Table } from '../ui/table.tsx';
import { MetricsSection } from './metrics-section.tsx';
import { type Readiness, readReadiness, type RelayState } from './read-server.ts';

/** Milliseconds between two looks at the server. */
const INTERVAL = 5_000;

/** The state of the server, of its relays, and its rates. */
export function HealthView() {
  const { config } = useConnection();
  const [isPaused, setPaused] = useState(false);
  const interval = isPaused ? false : INTERVAL;
  const { data, error } = useQuery({
    queryKey: ['ready', config.ready],
    queryFn: () => readReadiness(config),
    refetchInterval: interval,
    staleTime: 0,
  });
  return (
    <>
      <h1>{texts.navigation.health}</h1>
      <div className="actions">
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {texts.health.pause}
        </Button>
      </div>
      <State readiness={data} error={error} />
      {data !== undefined && data.relays.length > 0 && <Relays relays={data.relays} />}
      <h2>{texts.health.metrics}</h2>
      {config.metrics === null ? (
        <p>{texts.health.noMetrics}</p>
      ) : (
        <MetricsSection path={config.metrics} interval={interval} />
      )}
    </>
  );
}

interface StateProps {
  readonly readiness: Readiness | undefined;
  readonly error: Error | null;
}

/** The state in words: it is announced when it changes. */
function State({ readiness, error }: StateProps) {
  const isReady = error === null && readiness?.isReady === true;
  const text =
    error !== null
      ? texts.health.away
      : readiness === undefined
        ? texts.loading
        : isReady
          ? texts.health.ready
          : texts.health.notReady(readiness.reason ?? '');
  const hasFailed = error !== null || readiness?.isReady === false;
  return (
    <p role="status" className={hasFailed ? 'notice failure' : 'notice'}>
      <strong>{text}</strong>
    </p>
  );
}

function Relays({ relays }: { readonly relays: readonly RelayState[] }) {
  return (
    <>
      <h2>{texts.health.relays}</h2>
      <Table
        label={texts.health.relays}
        columns={[texts.health.relay, texts.health.state, texts.health.measures.logLag]}
      >
        {relays.map(({ name, state, lag }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{state}</td>
            <td>{lag ?? texts.health.nothing}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}
