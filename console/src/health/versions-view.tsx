import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Failure, Loading } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { readVersions, type ServedVersion } from './read-versions.ts';

/** The contracts of the API, with the dates of their ends. */
export function VersionsView() {
  const { config, schema, session } = useConnection();
  const { data, error, refetch } = useQuery({
    queryKey: ['versions', schema.version, session.read().token],
    queryFn: () => readVersions(config, schema, session),
  });
  return (
    <>
      <h1>{texts.navigation.versions}</h1>
      <p className="hint">{texts.versions.hint}</p>
      {error !== null && (
        <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Loading text={texts.loading} />}
      {data !== undefined && <VersionTable versions={data} />}
    </>
  );
}

function VersionTable({ versions }: { readonly versions: readonly ServedVersion[] }) {
  const { version, state, deprecated, sunset, requests } = texts.versions;
  return (
    <Table label={texts.navigation.versions} columns={[version, state, deprecated, sunset, requests]}>
      {versions.map((each) => (
        <tr key={each.version}>
          <th scope="row">{each.version}</th>
          <td>{describeState(each)}</td>
          <td>
            <Day date={each.deprecated} />{' '}
            {each.page !== null && (
              <a href={each.page} target="_blank" rel="noreferrer">
                {texts.versions.page}
              </a>
            )}
          </td>
          <td>
            <Day date={each.sunset} />
          </td>
          <td>{each.requests?.toLocaleString() ?? texts.versions.notKnown}</td>
        </tr>
      ))}
    </Table>
  );
}

function describeState({ isNewest, deprecated, sunset }: ServedVersion): string {
  const now = Date.now();
  if (sunset !== null && sunset.getTime() <= now) return texts.versions.ended;
  if (deprecated !== null) return deprecated.getTime() <= now ? texts.versions.isDeprecated : texts.versions.willBe;
  return isNewest ? texts.versions.newest : texts.versions.served;
}

/** A day as the server means it: at 00:00 GMT. */
function Day({ date }: { readonly date: Date | null }) {
  if (date === null) return texts.versions.none;
  const shown = date.toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
  return <time dateTime={date.toISOString()}>{shown}</time>;
}
