import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Failure, Loading } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { compareSamples, MEASURE_NAMES, type MeasureName, type Measures } from './measures.ts';
import { Plot } from './plot.tsx';
import { addSample, type MetricsResult } from './read-server.ts';

const MOST_VALUES = 60;
/** The rows of the table: the newest values. */
const TABLE_ROWS = 12;

export interface MetricsSectionProps {
  /** The path of the metrics. */
  readonly path: string;
  /** Milliseconds between two reads; false while paused. */
  readonly interval: number | false;
}

/** The rates of the server as plots, and as a table. */
export function MetricsSection({ path, interval }: MetricsSectionProps) {
  const { session } = useConnection();
  const queries = useQueryClient();
  const queryKey = ['metrics', path, session.read().token];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => addSample(path, session, queries.getQueryData<MetricsResult>(queryKey)?.samples ?? []),
    refetchInterval: interval,
    structuralSharing: false,
  });
  if (data?.isRefused === true) return <p>{texts.health.refused}</p>;
  if (data === undefined && error === null) return <Loading text={texts.loading} />;
  const values = compareSamples(data?.samples ?? []);
  return (
    <>
      {error !== null && (
        <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={() => void refetch()} />
      )}
      {values.length === 0 ? (
        <p className="hint">{texts.health.waiting}</p>
      ) : (
        <>
          <div className="plots">
            {MEASURE_NAMES.map((name) => (
              <MeasurePlot key={name} name={name} values={values} />
            ))}
          </div>
          <MeasureTable values={values.slice(-TABLE_ROWS).toReversed()} />
        </>
      )}
    </>
  );
}

function MeasurePlot({ name, values }: { readonly name: MeasureName; readonly values: readonly Measures[] }) {
  const numbers = values.map((each) => each[name]);
  const title = texts.health.measures[name];
  const current = formatMeasure(name, numbers.at(-1) ?? null);
  const highest = formatMeasure(name, Math.max(0, ...numbers.map((value) => value ?? 0)));
  return (
    <Plot
      title={title}
      current={current}
      label={texts.health.plot(title, current, highest)}
      values={numbers}
      most={MOST_VALUES}
    />
  );
}

function MeasureTable({ values }: { readonly values: readonly Measures[] }) {
  return (
    <details>
      <summary>{texts.health.asTable}</summary>
      <p className="hint">{texts.health.newestFirst}</p>
      <Table
        label={texts.health.asTable}
        columns={[texts.health.time, ...MEASURE_NAMES.map((name) => texts.health.measures[name])]}
      >
        {values.map((each) => (
          <tr key={each.time}>
            <th scope="row">{new Date(each.time).toLocaleTimeString()}</th>
            {MEASURE_NAMES.map((name) => (
              <td key={name}>{formatMeasure(name, each[name])}</td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}

function formatMeasure(name: MeasureName, value: number | null): string {
  if (value === null) return texts.health.nothing;
  const text = value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 2 : 0 });
  return name === 'p99' ? texts.health.milliseconds(text) : text;
}
