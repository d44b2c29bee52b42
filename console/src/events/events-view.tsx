import { texts } from '../texts.ts';

export function EventsView() {
  return (
    <>
      <h1>{texts.navigation.events}</h1>
      <p>{texts.soon}</p>
    </>
  );
}
