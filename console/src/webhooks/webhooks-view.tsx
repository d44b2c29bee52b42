import { texts } from '../texts.ts';

export function WebhooksView() {
  return (
    <>
      <h1>{texts.navigation.webhooks}</h1>
      <p>{texts.soon}</p>
    </>
  );
}
