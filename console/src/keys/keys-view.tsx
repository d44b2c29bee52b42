import { texts } from '../texts.ts';

export function KeysView() {
  return (
    <>
      <h1>{texts.navigation.keys}</h1>
      <p>{texts.soon}</p>
    </>
  );
}
