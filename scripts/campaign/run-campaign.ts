import { batch, upload } from './batch-scenarios.ts';
import { Client, type Json } from './client.ts';
import { walk } from './collection-scenarios.ts';
import { refused } from './fault-scenarios.ts';
import { eventFaults } from './judge-events.ts';
import { noise } from './noise-scenario.ts';
import { readPage } from './page-formats.ts';
import { Random } from './random.ts';
import { readRow } from './read-scenarios.ts';
import { type Finding, Session } from './session.ts';
import { change, create, remove, repeatWithKey } from './write-scenarios.ts';

export interface CampaignOptions {
  /** `http://127.0.0.1:3000`, a server of model.ts with an empty database. */
  readonly origin: string;
  /** At least so many requests are sent. */
  readonly requests: number;
  readonly seed: number;
  /** Reads the event log at the end. */
  readonly events: () => readonly Json[];
  /** Called after each scenario. */
  readonly onProgress?: (requests: number, findings: number) => void;
}

export interface CampaignResult {
  readonly requests: number;
  /** Requests by scenario. */
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** Rows that exist at the end. */
  readonly rows: number;
}

/** Scenarios with their weights. */
const scenarios: readonly (readonly [weight: number, name: string, run: (session: Session) => Promise<void>])[] = [
  [14, 'create', create],
  [14, 'change', change],
  [4, 'delete', remove],
  [3, 'repeat with a key', repeatWithKey],
  [16, 'read', readRow],
  [12, 'walk', walk],
  [4, 'page formats', readPage],
  [4, 'batch', batch],
  [3, 'upload', upload],
  [14, 'refused', refused],
  [12, 'noise', noise],
];

/** Rows of a run end here, so that everything known stays small: all authors, books, notes and orders are deleted. */
const MOST_ROWS = 220;

/**
 * Sends random requests one after another and compares each response with the contract. The seed determines the
 * choices.
 */
export async function runCampaign({
  origin,
  requests,
  seed,
  events,
  onProgress,
}: CampaignOptions): Promise<CampaignResult> {
  const client = new Client(origin);
  const session = new Session(client, origin, new Random(seed));
  const deck = scenarios.flatMap((scenario) => Array.from({ length: scenario[0] }, () => scenario));
  try {
    while (session.requests < requests) {
      const [, name, run] = session.random.pick(deck);
      session.scenario = session.rows.size > MOST_ROWS ? 'delete' : name;
      await (session.rows.size > MOST_ROWS ? remove : run)(session);
      onProgress?.(session.requests, session.findings.length);
    }
    session.scenario = 'events';
    for (const fault of eventFaults(events(), session.rows)) session.report(fault);
  } finally {
    client.close();
  }
  const { counts, findings, rows } = session;
  return { requests: session.requests, counts, findings, rows: rows.size };
}
