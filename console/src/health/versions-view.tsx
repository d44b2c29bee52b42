import { texts } from '../texts.ts';

export function VersionsView() {
  return (
    <>
      <h1>{texts.navigation.versions}</h1>
      <p>{texts.soon}</p>
    </>
  );
}
