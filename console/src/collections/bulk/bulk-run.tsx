import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { webPlatform } from '../../../../src/platform/web.ts';
import { useConnection } from '../../api/connection.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { RunStatus } from '../transfer/run-status.tsx';
import { useRun } from '../transfer/use-run.ts';
import { type BulkPlan, BulkWrite, type RowResult } from './bulk-write.ts';

/** Refused rows that are shown for each reason. */
const SHOWN_ROWS = 100;
/** Refused rows that are shown before people open their list. */
const OPEN_ROWS = 5;

export interface BulkRunProps {
  readonly plan: BulkPlan;
  /** The sentences of the write: those of a change or a deletion. */
  readonly texts: typeof texts.bulk.edit | typeof texts.bulk.delete;
  /** Called when the first write is sent. */
  readonly onWrite: () => void;
}

/** Checks a write to many rows by a dry run, then makes it for the rows that would accept it. */
export function BulkRun({ plan, texts: own, onWrite }: BulkRunProps) {
  const { calls } = useConnection();
  const [checked, setChecked] = useState<readonly RowResult[]>([]);
  const [written, setWritten] = useState<readonly RowResult[] | null>(null);
  const check = useRun();
  const run = useRun();
  const dry = useRef(new BulkWrite(plan, null));
  const real = useRef<BulkWrite | null>(null);
  const startCheck = (): void =>
    check.start(async (options) => void (await dry.current.run(calls, options, setChecked)));
  const begin = useRef(startCheck);
  useEffect(() => begin.current(), []);
  const accepted = checked.filter(({ refusal }) => refusal === null).map(({ row }) => row);
  const startRun = (): void => {
    real.current ??= new BulkWrite({ ...plan, rows: accepted }, webPlatform.uniqueKey());
    const { current } = real;
    onWrite();
    run.start(async (options) => void (await current.run(calls, options, setWritten)));
  };
  const counts = (results: readonly RowResult[]): [number, number] => {
    const refused = results.filter(({ refusal }) => refusal !== null).length;
    return [results.length - refused, refused];
  };
  const isChecked = check.state === 'done';
  const checkText = isChecked ? own.would(...counts(checked)) : texts.bulk.checked(checked.length, plan.rows.length);
  const runText = own.did(...counts(written ?? []));
  return (
    <>
      {run.state === 'idle' && (
        <RunStatus
          run={check}
          onContinue={startCheck}
          texts={{ progress: checkText, stopped: checkText, done: checkText }}
        />
      )}
      <RunStatus
        run={run}
        onContinue={startRun}
        texts={{ progress: runText, stopped: texts.bulk.stopped(runText), done: runText }}
      />
      <Refusals results={[...(written ?? []), ...checked]} collection={plan.collection.name} />
      {isChecked && run.state === 'idle' && accepted.length > 0 && (
        <Button className="fit" look={own.look} onClick={startRun}>
          {own.start(accepted.length)}
        </Button>
      )}
    </>
  );
}

/** The reasons of refusals, each with its rows. */
function Refusals({ results, collection }: { readonly results: readonly RowResult[]; readonly collection: string }) {
  const reasons = Map.groupBy(results, ({ refusal }) => refusal);
  return [...reasons].map(
    ([reason, refused]) =>
      reason !== null && (
        <details key={reason} className="refusal" open={refused.length <= OPEN_ROWS}>
          <summary>{texts.bulk.refusal(refused.length, reason)}</summary>
          <ul>
            {refused.slice(0, SHOWN_ROWS).map(({ row }) => (
              <li key={row.id}>
                <Link to="/collections/$name/$id" params={{ name: collection, id: row.id }} search={{}}>
                  {row.id}
                </Link>
              </li>
            ))}
          </ul>
          {refused.length > SHOWN_ROWS && <p className="hint">{texts.bulk.others(refused.length - SHOWN_ROWS)}</p>}
        </details>
      ),
  );
}
