import { once } from 'node:events';
import { systemClock } from '../../platform/clock.ts';
import { commandFailed, type ExitCode } from '../command-error.ts';
import { type CommandSpec, jsonOption } from '../command-spec.ts';
import { deliveryJson, describeDelivery } from '../listen/describe-delivery.ts';
import { type ListenFlags, listenSettings, type ListenSettings } from '../listen/listen-settings.ts';
import { receiveWebhooks, type WebhookReceiver } from '../listen/webhook-receiver.ts';
import { serverUrl } from '../serve/address.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';

/**
 * Receives webhooks, verifies and shows them, until a signal stops the process.
 *
 * @returns 0
 * @throws {CommandError} exit 2 for an invalid setting; exit 1 where the address cannot be bound
 */
async function listenForWebhooks(flags: ListenFlags, terminal: Terminal): Promise<ExitCode> {
  const { env, stdout, stderr } = terminal;
  const settings = listenSettings(flags, env);
  const signal = terminal.stopSignal();
  const receiver = await openReceiver(settings, terminal);
  const url = serverUrl(settings.host, receiver.port, '/');
  // Standard output has JSON alone where a program reads it.
  (settings.json ? stderr : stdout).write(`listening on ${url}\n`);
  if (settings.secrets.length === 0) stderr.write(`${NO_SECRET}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await receiver.close();
  return 0;
}

const NO_SECRET =
  'No secret: signatures are not verified. Pass --secret with the secret from the response to POST /webhooks.';

async function openReceiver(settings: ListenSettings, { env, stdout, stderr }: Terminal): Promise<WebhookReceiver> {
  const colour = supportsColour(stdout, env);
  try {
    return await receiveWebhooks({
      ...settings,
      now: () => systemClock.now(),
      onDelivery: (delivery) =>
        void stdout.write(settings.json ? deliveryJson(delivery) : describeDelivery(delivery, colour)),
      onError: ({ message }) =>
        void stderr.write(`${styled('red', 'error:', colour)} a request was not received: ${message}\n`),
    });
  } catch (error) {
    throw commandFailed(error instanceof Error ? error.message : String(error));
  }
}

export const listenSpec: CommandSpec = {
  name: 'listen',
  group: 'Callers:',
  summary: 'receive, verify and show webhooks',
  description:
    'Receives the webhooks of an API on this machine, verifies their signatures and shows them, for development. The API delivers to this machine if it is served with --dev.',
  arguments: [],
  options: [
    {
      name: 'port',
      value: { name: 'port', completes: 'none' },
      description: 'port to listen on; 0 picks a free port (RESTWRIGHT_WEBHOOK_PORT, default: 8080)',
      group: 'Address:',
    },
    {
      name: 'host',
      value: { name: 'host', completes: 'none' },
      description: 'address to listen on (RESTWRIGHT_WEBHOOK_HOST, default: 127.0.0.1)',
      group: 'Address:',
    },
    {
      name: 'secret',
      value: { name: 'secret', completes: 'none' },
      description:
        'secret of the webhook, whsec_...; during a rotation both, separated by a space (RESTWRIGHT_WEBHOOK_SECRET); without one, signatures are not verified',
      group: 'Deliveries:',
    },
    {
      name: 'secret-file',
      value: { name: 'file', completes: 'file' },
      description: 'file that contains the secret (RESTWRIGHT_WEBHOOK_SECRET_FILE)',
      group: 'Deliveries:',
    },
    {
      name: 'status',
      value: { name: 'statuses', completes: 'none' },
      description:
        'status of the responses, or one for each attempt of an event: 503,503,204 fails twice; invalid requests get 400 (default: 204)',
      group: 'Deliveries:',
    },
    jsonOption('each request on one line'),
  ],
  notes: `Examples:
  restwright listen
  restwright listen --port 9000 --secret-file webhook.secret
  restwright listen --status 503,503,204

Other users of this machine can see the arguments of a command: --secret-file keeps the secret from them.
`,
  run: (_given, flags: ListenFlags, terminal) => listenForWebhooks(flags, terminal),
};
