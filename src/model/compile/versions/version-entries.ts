import { versionText } from '../../../conventions/versioning.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { ContractVersion, OlderVersion } from '../../model.ts';
import { readObject, readString } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { readVersion } from '../settings/settings.ts';

/** A declared version without what it is derived to. */
export interface VersionEntry extends Omit<OlderVersion, 'changes' | 'model'> {
  /** MAJOR.MINOR.PATCH. */
  readonly text: string;
  readonly declared: CompileContext['declared'];
  readonly path: Path;
}

/** Reads the versions of a document, newest first. Reports those out of order, and dates that contradict each other. */
export function readVersionEntries(newest: ContractVersion, document: CompileContext): readonly VersionEntry[] {
  const entries = Object.entries(readObject(document.declared['versions'])).map(([text, held]): VersionEntry => {
    const declared = readObject(held);
    return {
      text,
      version: readVersion(text),
      deprecated: parseDay(readString(declared['deprecated'])),
      sunset: parseDay(readString(declared['sunset'])),
      deprecationPage: readString(declared['deprecation_page']),
      retired: declared['retired'] === true,
      declared,
      path: [...document.path, 'versions', text],
    };
  });
  let above = newest;
  for (const entry of entries) {
    checkOrder(entry, above, above === newest, document);
    checkDates(entry, document);
    checkPage(entry, document);
    above = entry.version;
  }
  return entries;
}

/** 00:00:00 GMT of a date. The document schema reports what is no date. */
function parseDay(date: string | null): number | null {
  const milliseconds = date === null ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000;
}

function checkOrder(
  { version, text, path }: VersionEntry,
  above: ContractVersion,
  isFirst: boolean,
  { report }: CompileContext,
): void {
  const other = versionText(above);
  const place = isFirst ? `${other}, the version of the model` : `${other}, which stands above it`;
  if (compareVersions(version, above) >= 0) {
    report(path, `${text} is not older than ${place}`, 'list older versions only, newest first');
  } else if (version.major === above.major && version.minor === above.minor) {
    const cause = `${text} and ${other} differ in the patch alone, which selects no contract`;
    report(path, cause, `remove ${text}: its clients are served ${other}`);
  }
}

function checkDates({ text, deprecated, sunset, path }: VersionEntry, { report }: CompileContext): void {
  if (deprecated === null || sunset === null || sunset >= deprecated) return;
  report([...path, 'sunset'], `the sunset of ${text} is before its deprecation`, 'write a later date');
}

function checkPage({ deprecationPage, path }: VersionEntry, { report }: CompileContext): void {
  if (deprecationPage === null) return;
  const url = URL.parse(deprecationPage);
  // A URL that holds a `>` or is not ASCII could not be written in the Link field.
  if (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    /^[\x21-\x7e]+$/.test(deprecationPage) &&
    !/[<>"]/.test(deprecationPage)
  )
    return;
  const fix = 'write an absolute https URL, such as https://docs.example.com/migrate, with other characters encoded';
  report([...path, 'deprecation_page'], `'${deprecationPage}' is not a URL of a page`, fix);
}

function compareVersions(a: ContractVersion, b: ContractVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
