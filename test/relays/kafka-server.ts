import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';

/** The libraries that `.ci/run` installs. */
const LIBRARIES = path.join(import.meta.dirname, '..', '..', '.cache', 'brokers', 'kafka');
/** The last file of an installation. */
export const KAFKA = path.join(LIBRARIES, 'pom.xml');
const CLUSTER = 'MkU3OEVBNTcwNTJENDM2Qg';
const START_TIMEOUT = 60_000;

/** A Kafka of a test, on loopback: one node. It keeps its data when it is killed and started again. */
export interface KafkaServer {
  readonly url: string;
  /** The URL of its listener for SASL/PLAIN, without credentials: the user `relay` has the password `right-secret`. */
  readonly saslUrl: string;
  /** Reads the id of its process. */
  readonly pid: () => number;
  readonly start: () => Promise<void>;
  /** Ends it without notice. */
  readonly kill: () => Promise<void>;
}

/**
 * Starts Kafka as a process of the test.
 *
 * @param folder for its data
 * @param settings lines of `server.properties` that replace those of the tests
 */
export async function startKafka(folder: string, settings: readonly string[] = []): Promise<KafkaServer> {
  const [port, controller, sasl] = [await freePort(), await freePort(), await freePort()];
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'server.properties');
  writeFileSync(file, [properties(folder, { port, controller, sasl }), ...settings].join('\n'));
  const classes = ['-cp', `${LIBRARIES}/*`];
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    if (!existsSync(path.join(folder, 'logs')))
      await promisify(execFile)('java', [...classes, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER, '-c', file]);
    const memory = ['-Xmx384m', '-Xms128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
    child = spawn('java', [...memory, ...classes, 'kafka.Kafka', file], { stdio: 'ignore' });
    await accepting(port, child);
  };
  await start();
  return {
    url: `kafka://127.0.0.1:${port}`,
    saslUrl: `kafka://127.0.0.1:${sasl}`,
    pid: () => child?.pid ?? 0,
    start,
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function properties(
  folder: string,
  { port, controller, sasl }: { readonly port: number; readonly controller: number; readonly sasl: number },
): string {
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_relay="right-secret";';
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${port},SASL://127.0.0.1:${sasl},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${port},SASL://127.0.0.1:${sasl}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl.plain.sasl.jaas.config=${login}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${folder}/logs
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=1500
broker.heartbeat.interval.ms=500
log.flush.interval.messages=1
`;
}

async function accepting(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT;
  while (performance.now() < deadline && child.exitCode === null) {
    if (await isListening(port)) return;
    await setTimeout(100);
  }
  throw new Error('Kafka did not start');
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
