import { parseVersion, versionText } from '../conventions/versioning.ts';
import type { DescribedContract } from '../describe/described-contract.ts';
import { usageError } from './command-error.ts';
import type { CommandSpec } from './command-spec.ts';

/** The option that chooses the version that a command describes. */
export const VERSION_OPTION: CommandSpec['options'][number] = {
  name: 'api-version',
  value: { name: 'version', completes: 'none' },
  description: 'older version that the model serves, such as 1 or 1.4; default: the newest version',
};

/** The newest contract of a version: 1 is the latest 1.x. */
export function findContract(served: readonly DescribedContract[], given: string | undefined): DescribedContract {
  const [newest] = served;
  const requested = given === undefined ? null : parseVersion(given);
  const found =
    given === undefined
      ? newest
      : served.find(({ model }) => requested !== null && isVersion(model.version, requested));
  if (found !== undefined) return found;
  const known = served.map(({ version }) => version).join(', ');
  throw usageError(`--api-version: the model does not serve version '${given ?? ''}'; it serves ${known}.`);
}

type Requested = NonNullable<ReturnType<typeof parseVersion>>;

/** The patch part never selects (VER-2). */
function isVersion({ major, minor }: DescribedContract['model']['version'], requested: Requested): boolean {
  const wanted = versionText({ ...requested, patch: null });
  return wanted === `${major}` || wanted === `${major}.${minor}`;
}
