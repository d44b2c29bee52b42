import { systemClock } from '../../platform/clock.ts';
import type { ExitCode } from '../command-error.ts';
import { type CommandSpec, jsonOption, valueOption } from '../command-spec.ts';
import { deliveryJson, describeDelivery } from '../listen/describe-delivery.ts';
import { type ListenFlags, listenSettings, type ListenSettings } from '../listen/listen-settings.ts';
import { receiveWebhooks, type WebhookReceiver, type WebhookReceiverOptions } from '../listen/webhook-receiver.ts';
import { openServer, serverUrl } from '../serve/address.ts';
import { styled, supportsColour, type Terminal, waitForStop } from '../terminal/terminal.ts';

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
  await waitForStop(signal);
  await receiver.close();
  return 0;
}

const NO_SECRET =
  'No secret: signatures are not verified. Pass --secret with the secret from the response to POST /webhooks.';

function openReceiver(settings: ListenSettings, { env, stdout, stderr }: Terminal): Promise<WebhookReceiver> {
  const colour = supportsColour(stdout, env);
  const options: WebhookReceiverOptions = {
    ...settings,
    now: () => systemClock.now(),
    onDelivery: (delivery) =>
      void stdout.write(settings.json ? deliveryJson(delivery) : describeDelivery(delivery, colour)),
    onError: ({ message }) =>
      void stderr.write(`${styled('red', 'error:', colour)} a request was not received: ${message}\n`),
  };
  return openServer(() => receiveWebhooks(options));
}

export const listenSpec: CommandSpec = {
  name: 'listen',
  group: 'Callers:',
  summary: 'receive, verify and show webhooks',
  description:
    'Receives the webhooks of an API on this machine, verifies their signatures and shows them, for development. The API delivers to this machine if it is served with --dev.',
  arguments: [],
  options: [
    valueOption(
      'port',
      'port',
      'port to listen on; 0 picks a free port (RESTWRIGHT_WEBHOOK_PORT, default: 8080)',
      'Address:',
    ),
    valueOption('host', 'host', 'address to listen on (RESTWRIGHT_WEBHOOK_HOST, default: 127.0.0.1)', 'Address:'),
    valueOption(
      'secret',
      'secret',
      'secret of the webhook, whsec_...; during a rotation both, separated by a space (RESTWRIGHT_WEBHOOK_SECRET); without one, signatures are not verified',
      'Deliveries:',
    ),
    {
      name: 'secret-file',
      value: { name: 'file', completes: 'file' },
      description: 'file that contains the secret (RESTWRIGHT_WEBHOOK_SECRET_FILE)',
      group: 'Deliveries:',
    },
    valueOption(
      'status',
      'statuses',
      'status of the responses, or one for each attempt of an event: 503,503,204 fails twice; invalid requests get 400 (default: 204)',
      'Deliveries:',
    ),
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
