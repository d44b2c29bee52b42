import type { Coding } from '../../conventions/media/content-coding.ts';
import { asyncApiDocument } from '../../describe/asyncapi/async-api-document.ts';
import { type DescribedContract, describedContracts, type OpenApiEdition } from '../../describe/described-contract.ts';
import { DOCS_PAGE_POLICY, writeDocsPage, writeLockedDocsPage } from '../../describe/docs-page/docs-page.ts';
import type { DocsContent } from '../../describe/docs-page/docs-content.ts';
import { openApiDocument } from '../../describe/openapi/open-api-document.ts';
import { compress } from '../../formats/compress.ts';
import { writeJson } from '../../formats/json.ts';
import type { Model } from '../../model/model.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';

/**
 * An OpenAPI document by its edition, the AsyncAPI document, the documentation, or its page for callers who may not
 * read it.
 */
export type DescriptionForm = OpenApiEdition | 'asyncapi' | 'docs' | 'locked-docs';

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
  readonly #written = new Map<string, WrittenDescription>();
  #contracts: readonly DescribedContract[] | null = null;

  constructor(model: Model, digest: (content: Uint8Array) => string) {
    this.#model = model;
    this.#digest = digest;
  }

  /**
   * @param version of a served contract, `1.4.2`
   * @throws {Error} there is no such contract: a bug, because the route has chosen one
   */
  find(version: string, form: DescriptionForm): WrittenDescription {
    const key = `${version} ${form}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    this.#contracts ??= describedContracts(this.#model);
    const contract = this.#contracts.find((each) => each.version === version);
    if (contract === undefined) throw new Error(`version ${version} is not described`);
    const body = new TextEncoder().encode(writeDescription(form, { contract, contracts: this.#contracts }));
    const headers = form === 'docs' || form === 'locked-docs' ? PAGE_HEADERS : [];
    const written = { body, digest: this.#digest(body), headers, compressed: compressedOnce(body) };
    this.#written.set(key, written);
    return written;
  }

  clear(): void {
    this.#written.clear();
    this.#contracts = null;
  }
}

function writeDescription(form: DescriptionForm, content: DocsContent): string {
  switch (form) {
    case 'docs':
      return writeDocsPage(content);
    case 'locked-docs':
      return writeLockedDocsPage(content);
    case 'asyncapi':
      return writeJson(asyncApiDocument(content.contract));
    case '3.1':
    case '3.2':
      return writeJson(openApiDocument(content.contract, form));
  }
}

/** Compresses a body once for each coding. */
function compressedOnce(body: Uint8Array): WrittenDescription['compressed'] {
  const known = new Map<Coding, MaybePromise<Uint8Array>>();
  return (coding) => {
    const found = known.get(coding);
    if (found !== undefined) return found;
    const made = compress(body, coding);
    known.set(coding, made);
    if (made instanceof Promise)
      made.then(
        (bytes) => known.set(coding, bytes),
        () => known.delete(coding),
      );
    return made;
  };
}
