import { versionText } from '../../conventions/versioning.ts';
import type { Model, OlderVersion } from '../../model/model.ts';
import { shown } from '../../model/diff/difference.ts';
import type { StoredRowChange } from '../../versions/row-changes.ts';
import { describeRowStep } from '../../versions/row-step.ts';
import { describeRowChange, rowChangeJson, rowChangeNotes } from '../migrate/row-changes.ts';
import { alignColumns } from '../terminal/align-columns.ts';
import { countNoun, formatCount } from '../terminal/progress.ts';
import { styled } from '../terminal/terminal.ts';
import type { ContractUse, UseByVersion } from './version-use.ts';

/** The state of a contract. `unlisted`: it was called, and the model does not list it. */
type ContractState = 'current' | 'served' | 'deprecated' | 'retired' | 'unlisted';

/** A contract of a model. */
export interface ListedContract {
  readonly version: string;
  readonly state: ContractState;
  /** Dates such as 2028-06-01; null where none is declared. */
  readonly deprecated: string | null;
  readonly sunset: string | null;
  /** The effect of a migration to the newest on its rows; null for the newest, and where none is possible. */
  readonly step: readonly StoredRowChange[] | null;
  /** The use of it; null where neither a log nor metrics were read. */
  readonly use: ContractUse | null;
}

/** The callers of a contract that a table names. */
const SHOWN = 3;
/** Those that JSON has. */
const MAX_LISTED = 1_000;

const NO_USE: ContractUse = { requests: 0, callers: null, hasMore: false };

/** Lists the contracts of a model, the newest first. @param use null where neither a log nor metrics were read */
export function listContracts(model: Model, use: UseByVersion | null): readonly ListedContract[] {
  const findUse = (version: string): ContractUse | null => (use === null ? null : (use.get(version) ?? NO_USE));
  const newest = versionText(model.version);
  const none = { deprecated: null, sunset: null, step: null };
  const listed: readonly ListedContract[] = [
    { version: newest, state: 'current', ...none, use: findUse(newest) },
    ...model.versions.map((each): ListedContract => {
      const version = versionText(each.version);
      return { version, ...describeLifecycle(each), step: findStep(model, each), use: findUse(version) };
    }),
  ];
  const known = new Set(listed.map(({ version }) => version));
  const others = [...(use ?? [])].filter(([version]) => !known.has(version));
  return [
    ...listed,
    ...others.map(([version, each]): ListedContract => ({ version, state: 'unlisted', ...none, use: each })),
  ];
}

function describeLifecycle({
  deprecated,
  sunset,
  retired,
}: OlderVersion): Pick<ListedContract, 'state' | 'deprecated' | 'sunset'> {
  const state = retired ? 'retired' : deprecated === null ? 'served' : 'deprecated';
  return { state, deprecated: formatDay(deprecated), sunset: formatDay(sunset) };
}

function formatDay(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1_000).toISOString().slice(0, 10);
}

/** null for a retired version without changes: its rows are not converted. */
function findStep(model: Model, version: OlderVersion): readonly StoredRowChange[] | null {
  return version.retired && version.changes.length === 0 ? null : describeRowStep(version.model, model, version);
}

/** The contracts as JSON. Its shape is documented in docs/guides/versions.md. */
export function contractsJson(file: string, model: Model, contracts: readonly ListedContract[]): object {
  return {
    model: file,
    newest: versionText(model.version),
    versions: contracts.map(({ step, use, ...contract }) => ({
      ...contract,
      rows: step?.map(rowChangeJson) ?? null,
      requests: use?.requests ?? null,
      callers: use?.callers?.slice(0, MAX_LISTED) ?? null,
      more_callers: use !== null && (use.hasMore || (use.callers?.length ?? 0) > MAX_LISTED),
    })),
  };
}

/** The contracts as a table. A contract whose rows change has its changes below it. */
export function contractLines(contracts: readonly ListedContract[], colour: boolean): readonly string[] {
  const isUsed = contracts.some(({ use }) => use !== null);
  const rows = contracts.map((contract) => [
    contract.version,
    describeState(contract),
    describeStep(contract),
    ...(isUsed ? [describeUse(contract.use ?? NO_USE)] : []),
  ]);
  const table = [['version', 'state', 'rows of it, when migrated', ...(isUsed ? ['called by'] : [])], ...rows];
  const [head = '', ...lines] = alignColumns(table);
  return [
    styled('bold', head, colour),
    ...contracts.flatMap((contract, index) => [
      styled(STYLES[contract.state], lines[index] ?? '', colour),
      ...(contract.step ?? []).map((change) => `  ${styled('gray', writeChange(change), colour)}`),
    ]),
  ];
}

const STYLES = {
  current: 'green',
  served: 'reset',
  deprecated: 'yellow',
  retired: 'gray',
  unlisted: 'red',
} as const satisfies Readonly<Record<ContractState, Parameters<typeof styled>[0]>>;

function describeState({ state, deprecated, sunset }: ListedContract): string {
  const since = state === 'deprecated' && deprecated !== null ? ` ${deprecated}` : '';
  const name = state === 'unlisted' ? 'not in the model' : state;
  return `${name}${since}${sunset === null ? '' : `, sunset ${sunset}`}`;
}

function describeStep({ state, step }: ListedContract): string {
  if (step === null) return state === 'retired' ? 'not converted' : '-';
  const consents = step.filter(({ consent }) => consent !== null).length;
  const changes = countNoun(step.length, 'change');
  return consents === 0 ? changes : `${changes}, ${formatCount(consents)} may need consent`;
}

function describeUse({ requests, callers, hasMore }: ContractUse): string {
  if (requests === 0) return '-';
  const named = (callers ?? [])
    .slice(0, SHOWN)
    .map(({ caller, requests: own }) => `${shown(caller)} (${formatCount(own)})`);
  const rest = (callers?.length ?? 0) - named.length;
  const more = rest > 0 ? [`${formatCount(rest)}${hasMore ? ' or more' : ''} others`] : [];
  return callers === null ? countNoun(requests, 'request') : [...named, ...more].join(', ');
}

function writeChange(change: StoredRowChange): string {
  const notes = rowChangeNotes(change).join('; ');
  return `${change.resource}: ${describeRowChange(change)}${notes === '' ? '' : ` (${notes})`}`;
}
