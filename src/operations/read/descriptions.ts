import type { Coding } from '../../conventions/media/content-coding.ts';
import { writeLlmsText } from '../../describe/agents/llms-text.ts';
import { asyncApiSteps } from '../../describe/asyncapi/async-api-document.ts';
import { type DescribedContract, describedContracts, type OpenApiEdition } from '../../describe/described-contract.ts';
import { DOCS_PAGE_POLICY, docsPageSteps, writeLockedDocsPage } from '../../describe/docs-page/docs-page.ts';
import type { DocsContent } from '../../describe/docs-page/docs-content.ts';
import { openApiSteps } from '../../describe/openapi/open-api-document.ts';
import { compress, compressOnce } from '../../formats/compress.ts';
import { writeJsonSteps } from '../../formats/json.ts';
import type { Model } from '../../model/model.ts';
import { monotonicNow } from '../../platform/clock.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { runSteps, type Steps } from '../../platform/time-slices.ts';

/**
 * An OpenAPI document by its edition and profile, the AsyncAPI document, the documentation, or its page for callers
 * who may not read it.
 */
export type DescriptionForm =
  | OpenApiEdition
  | `${OpenApiEdition} generators`
  | 'asyncapi'
  | 'llms'
  | 'docs'
  | 'locked-docs';

const PAGE_HEADERS: readonly string[] = ['Content-Security-Policy', DOCS_PAGE_POLICY];

/** A description as bytes, made once. */
export interface WrittenDescription {
  readonly body: Uint8Array;
  /** The digest of the body. */
  readonly digest: string;
  /** Further header fields. */
  readonly headers: readonly string[];
  /** The body in a coding, made once. */
  readonly compressed: (coding: Coding) => MaybePromise<Uint8Array>;
}

/** The description of a contract that a request reads. */
export interface FoundDescription {
  readonly kind: 'description';
  readonly description: WrittenDescription;
}

/**
 * Caches the descriptions of the contracts of a model. Each is made for its first request, so that the start of a
 * server is not delayed. They depend on the *contract* alone, and on no caller. They are cleared with the caches of an
 * idle server.
 */
export class Descriptions {
  readonly #model: Model;
  readonly #digest: (content: Uint8Array) => string;
  readonly #now: () => number;
  readonly #written = new Map<string, MaybePromise<WrittenDescription>>();
  #contracts: readonly DescribedContract[] | null = null;

  /** @param now milliseconds, by which slices end */
  constructor(model: Model, digest: (content: Uint8Array) => string, now: () => number = monotonicNow) {
    this.#model = model;
    this.#digest = digest;
    this.#now = now;
  }

  /**
   * Finds a description, or makes it in slices of the event loop: a large model has megabytes of it.
   *
   * @param version of a served contract, `1.4.2`
   * @throws {Error} there is no such contract: a bug, because the route has chosen one
   */
  find(version: string, form: DescriptionForm): MaybePromise<WrittenDescription> {
    const key = `${version} ${form}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const made = runSteps(this.#make(version, form), this.#now);
    this.#written.set(key, made);
    if (made instanceof Promise) this.#settle(key, made);
    return made;
  }

  clear(): void {
    this.#written.clear();
    this.#contracts = null;
  }

  /** Replaces a promise by what it gives, unless the cache was cleared meanwhile. */
  #settle(key: string, made: Promise<WrittenDescription>): void {
    const isCached = (): boolean => this.#written.get(key) === made;
    made.then(
      (written) => isCached() && this.#written.set(key, written),
      () => isCached() && this.#written.delete(key),
    );
  }

  *#make(version: string, form: DescriptionForm): Steps<WrittenDescription> {
    const contracts = (this.#contracts ??= describedContracts(this.#model));
    const contract = contracts.find((each) => each.version === version);
    if (contract === undefined) throw new Error(`version ${version} is not described`);
    yield;
    const text = yield* writeDescription(form, { contract, contracts });
    yield;
    const body = new TextEncoder().encode(text);
    yield;
    const headers = form === 'docs' || form === 'locked-docs' ? PAGE_HEADERS : [];
    return { body, digest: this.#digest(body), headers, compressed: compressOnce(body, compress) };
  }
}

/** The levels of a document whose members are written one by one: the document, its sections, and their parts. */
const LEVELS = 3;

function* writeDescription(form: DescriptionForm, content: DocsContent): Steps<string> {
  switch (form) {
    case 'docs':
      return yield* docsPageSteps(content);
    case 'locked-docs':
      return writeLockedDocsPage(content);
    case 'llms':
      return writeLlmsText(content.contract);
    case 'asyncapi':
      return yield* writeJsonSteps(yield* asyncApiSteps(content.contract), LEVELS);
    case '3.1':
    case '3.2':
      return yield* writeJsonSteps(yield* openApiSteps(content.contract, form), LEVELS);
    case '3.1 generators':
      return yield* writeJsonSteps(yield* openApiSteps(content.contract, '3.1', 'generators'), LEVELS);
    case '3.2 generators':
      return yield* writeJsonSteps(yield* openApiSteps(content.contract, '3.2', 'generators'), LEVELS);
  }
}
