import type { JsonObject } from '../../../conventions/json/json.ts';
import { versionText } from '../../../conventions/versioning.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { ReportProblem } from '../../document/model-error.ts';
import type { ComputedField, Model, OlderVersion, Resource } from '../../model.ts';
import type { Converters } from '../../typescript/version-converters.ts';
import { readArray } from '../../values/access.ts';
import { deepFreeze } from '../../values/deep-freeze.ts';
import { formatPath, type Path } from '../../path.ts';
import { withApiKeys } from '../settings/api-keys.ts';
import { withRelays } from '../settings/relay-resource.ts';
import { withWebhooks } from '../settings/webhooks.ts';
import { type Digest, serialize } from '../../fingerprint.ts';
import { byCollection, compileResources, linkResources, type ModelCode } from '../resources/compile-resources.ts';
import { contractDocument, contractResources, olderDocument } from './older-document.ts';
import { readChanges, type StepChanges } from './read-changes.ts';
import { readVersionEntries, type VersionEntry } from './version-entries.ts';
import type { VersionStep } from './version-step.ts';

const NO_CODE: ModelCode = new Map();

/**
 * Adds the older versions that a document declares to its model, each derived from its successor. Every problem of a
 * version is reported at its place in the section; no version is derived from one with problems.
 *
 * @param newest compiled from the document, without problems
 * @param converters the functions of a TypeScript model's changes
 */
export function withVersions(newest: Model, given: CompileContext, converters: Converters, digest: Digest): Model {
  const section = given.declared['versions'];
  const entries = readVersionEntries(newest.version, given);
  if (section === undefined || entries.length === 0) return newest;
  const fingerprint = digest(newest.fingerprint + serialize({ section, converters }));
  const model = { ...newest, fingerprint };
  const keyed = withApiKeys({ ...given, report: ignoreProblem }, NO_CODE);
  const { document } = withWebhooks(withRelays(keyed.document), NO_CODE);
  const resources = contractResources(newest.resources);
  const contract = contractDocument(document.declared, resources);
  const chain = new VersionChain({ ...model, resources }, contract, converters, digest);
  const oldestServed = entries.findLastIndex(({ retired }) => !retired);
  const versions = entries.map((entry, index) => chain.next(entry, index <= oldestServed, given.report));
  return deepFreeze({ ...model, versions });
}

/** The model has been compiled: what is wrong with it has been reported. */
function ignoreProblem(): void {}

/** Derives each version from the one before. */
class VersionChain {
  readonly #newest: Model;
  readonly #converters: Converters;
  readonly #digest: Digest;
  /** Document of the version that was derived last. */
  #document: JsonObject;
  #model: Model;
  #isBroken = false;

  constructor(newest: Model, document: JsonObject, converters: Converters, digest: Digest) {
    this.#newest = newest;
    this.#document = document;
    this.#converters = converters;
    this.#digest = digest;
    this.#model = newest;
  }

  /** @param isUsed whether it is served, or an older version derives from it */
  next(entry: VersionEntry, isUsed: boolean, report: ReportProblem): OlderVersion {
    const { version, deprecated, sunset, deprecationPage, retired } = entry;
    const changes = isUsed && !this.#isBroken ? this.#derive(entry, report) : [];
    return { version, deprecated, sunset, deprecationPage, retired, changes, model: this.#model };
  }

  #derive({ text, version, declared, path }: VersionEntry, report: ReportProblem): OlderVersion['changes'] {
    const strict: ReportProblem = (...problem) => {
      this.#isBroken = true;
      report(...problem);
    };
    const successor = versionText(this.#model.version);
    const { resources } = this.#model;
    const context = { older: text, successor, resources, document: this.#document, converters: this.#converters };
    const step: VersionStep = { ...context, report: strict };
    const read = readChanges(readArray(declared['changes']), [...path, 'changes'], step);
    if (this.#isBroken) return [];
    this.#document = olderDocument(this.#document, resources, read);
    const derived = this.#compile(read, path, step);
    const fingerprint = this.#digest(`${this.#newest.fingerprint} ${text}`);
    this.#model = {
      ...this.#newest,
      version,
      resources: derived,
      collections: byCollection(derived),
      versions: [],
      fingerprint,
    };
    return read.changes.map(({ change }) => change);
  }

  /** A derived document has no lines: what is wrong with it is reported at its version, once. */
  #compile(read: StepChanges, at: Path, { older, successor, report }: VersionStep): ReadonlyMap<string, Resource> {
    const causes = new Set<string>();
    const context: CompileContext = {
      declared: this.#document,
      path: [],
      report: (path, cause, fix) => {
        if (causes.has(cause)) return;
        causes.add(cause);
        report(
          at,
          `${older}, which derives from ${successor}, is not a valid model: ${formatPath(path)}: ${cause}`,
          fix,
        );
      },
    };
    const unlinked = compileResources(context, NO_CODE).map((resource) => {
      const { computed } = findSuccessor(resource.name, this.#model);
      return { ...resource, computed: olderComputed(computed, read.paths.get(resource.name)) };
    });
    const linked = linkResources(unlinked, context, NO_CODE);
    return new Map(
      [...linked].map(([name, resource]) => [name, copyAccess(findSuccessor(name, this.#model), resource)]),
    );
  }
}

/** @throws {TypeError} there is none: no change adds a resource */
function findSuccessor(name: string, { resources }: Model): Resource {
  const found = resources.get(name);
  if (found === undefined) throw new TypeError(`the successor has no resource ${name}`);
  return found;
}

/** The computed members under their older names. They are computed from rows of the newest model. */
function olderComputed(
  computed: readonly ComputedField[],
  paths: StepChanges['paths'] extends ReadonlyMap<string, infer P> ? P | undefined : never,
): readonly ComputedField[] {
  return computed.flatMap((member) => {
    const name = paths?.field(member.name) ?? null;
    const from = member.from.flatMap((each) => paths?.field(each) ?? []);
    return name === null ? [] : [{ ...member, name, from }];
  });
}

/** Copies the access rules and caching of the newest version. Another collection name makes no other scopes. */
function copyAccess({ access, cache, sameForEveryCaller, declares }: Resource, older: Resource): Resource {
  return { ...older, access, cache, sameForEveryCaller, declares };
}
