import type { Preconditions } from '../conventions/headers/preconditions.ts';
import type { Preferences } from '../conventions/headers/prefer.ts';
import type { FormatOffer } from '../conventions/media/response-format.ts';
import type { Contract } from '../contract/contract.ts';
import { selectVariant, type Variant, type Variants } from '../contract/variants.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';

/** The half of a request that its representation needs: the form of its response. */
export interface Reply {
  readonly exchange: Exchange;
  /** The contract in which resources are represented: that of the caller. */
  readonly contract: Contract;
  /** The format of the response. */
  readonly offer: FormatOffer;
  /** Start of its links, in the caller's version carrier (REP-9). */
  readonly base: LinkBase;
  /** Start of path-versioned links; null if `base` is one. */
  readonly canonicalBase: LinkBase | null;
  readonly preferences: Preferences;
  /** The conditions under which a read is answered with 304 or 412. */
  readonly preconditions: Preconditions;
  /**
   * True if the request carries credentials, required or not. No shared cache then stores its response unless the model
   * allows it (CACHE-5).
   */
  readonly credentials: boolean;
  /** The variants of its base and permission. */
  readonly variants: Variants;
  /** The variant of its format and coding. */
  readonly variant: Variant;
}

/** Returns the same reply in another format. */
export function replyAs(reply: Reply, offer: FormatOffer): Reply {
  return { ...reply, offer, variant: selectVariant(reply.variants, offer.contentType, reply.exchange.coding) };
}
