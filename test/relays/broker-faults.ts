import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Broker } from '../../src/events/relays/broker.ts';
import { drain, relayMessages } from './relay-driver.ts';

/** A broker whose faults are tried, and what reads from it. */
export interface FaultyBroker {
  /** The clause that names it: `EVT-9a`. */
  readonly clause: string;
  /** Opens a relay. @param name of a destination of its own */
  readonly open: (name: string) => Promise<Broker>;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** The sequences that a destination has, each once, as a consumer sees them that ignores repeated ids. */
  readonly read: (name: string) => Promise<readonly number[]>;
  /** The destination of messages. */
  readonly destination: (name: string) => string;
  /** Milliseconds in which a call settles. */
  readonly timeout: number;
}

const KILLS = 20;
const BLOCK = 100;

function integers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Declares the tests of the faults that every broker has. */
export function testFaults({ clause, open, destination, timeout, ...server }: FaultyBroker): void {
  it(`[${clause}] loses and reorders nothing while the broker is killed ${KILLS} times under load`, async (context) => {
    const broker = await open('killed');
    context.after(() => broker.close());
    const count = (KILLS + 1) * 2 * BLOCK;
    const messages = relayMessages(count, destination('killed'));
    let next = 2 * BLOCK;
    await drain(broker, messages, {
      block: BLOCK,
      async onResult(_, sent) {
        if (sent < next || sent === count) return;
        next += 2 * BLOCK;
        // The block is in flight when the broker ends.
        await Promise.all([broker.publish(messages.slice(sent, sent + BLOCK)), server.kill()]);
        await server.start();
      },
    });
    assert.deepEqual(await server.read('killed'), integers(count));
  });

  it(`[${clause}] ends a call in its time while the broker is frozen, and then goes on`, async (context) => {
    const broker = await open('frozen');
    context.after(() => broker.close());
    const messages = relayMessages(2_000, destination('frozen'));
    await drain(broker, messages.slice(0, 500));
    server.signal('SIGSTOP');
    const began = performance.now();
    const { acknowledged, problem } = await broker.publish(messages.slice(500, 1_000));
    const took = performance.now() - began;
    server.signal('SIGCONT');
    assert.equal(acknowledged, 0);
    assert.notEqual(problem, null);
    assert.ok(took < 2 * timeout, `it took ${took} ms`);
    await drain(broker, messages.slice(500));
    assert.deepEqual(await server.read('frozen'), integers(2_000));
  });
}
