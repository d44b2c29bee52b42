import { texts } from '../texts.ts';

export function HealthView() {
  return (
    <>
      <h1>{texts.navigation.health}</h1>
      <p>{texts.soon}</p>
    </>
  );
}
