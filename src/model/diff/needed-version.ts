import type { ContractVersion } from '../model.ts';
import type { Difference } from './difference.ts';
import type { Impact } from './difference-kinds.ts';

/** The part of a version that has to be higher. */
export type VersionPart = 'major' | 'minor' | 'patch' | 'none';

/** The clients: tolerant ones accept unknown values, as is the default; strict ones refuse them. */
export type Clients = 'tolerant' | 'strict';

/** The verdict on the version of a new model. */
export interface VersionVerdict {
  readonly needs: VersionPart;
  /** The lowest version that the new model may have. */
  readonly lowest: ContractVersion;
  /** True if the new model has at least that version. */
  readonly isEnough: boolean;
  /** True if its version is below that of the old model. */
  readonly isLower: boolean;
}

const PARTS: readonly VersionPart[] = ['none', 'patch', 'minor', 'major'];

/** The part of the version that a difference needs (VER-6): a change of nothing but behaviour is a patch. */
export function neededPart(
  { requests, responses }: Pick<Difference, 'requests' | 'responses'>,
  clients: Clients = 'tolerant',
): VersionPart {
  const impacts: readonly Impact[] = [requests, responses];
  if (impacts.includes('breaking')) return 'major';
  if (impacts.includes('possibly-breaking')) return clients === 'strict' ? 'major' : 'minor';
  return impacts.includes('compatible') ? 'minor' : 'patch';
}

/** The highest part that any of the differences needs. */
export function highestPart(differences: readonly Difference[], clients: Clients = 'tolerant'): VersionPart {
  const needed = differences.map((each) => PARTS.indexOf(neededPart(each, clients)));
  return PARTS[Math.max(0, ...needed)] ?? 'none';
}

/** Judges the version of a new model by its differences from an old one. A version never goes back. */
export function judgeVersion(needs: VersionPart, was: ContractVersion, is: ContractVersion): VersionVerdict {
  const lowest = nextVersion(was, needs);
  return { needs, lowest, isEnough: compareVersions(is, lowest) >= 0, isLower: compareVersions(is, was) < 0 };
}

function nextVersion({ major, minor, patch }: ContractVersion, part: VersionPart): ContractVersion {
  switch (part) {
    case 'major':
      return { major: major + 1, minor: 0, patch: 0 };
    case 'minor':
      return { major, minor: minor + 1, patch: 0 };
    case 'patch':
      return { major, minor, patch: patch + 1 };
    case 'none':
      return { major, minor, patch };
  }
}

function compareVersions(one: ContractVersion, other: ContractVersion): number {
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}
