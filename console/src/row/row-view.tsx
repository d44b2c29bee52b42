import { useParams } from '@tanstack/react-router';
import { texts } from '../texts.ts';

export function RowView() {
  const { id = '' } = useParams({ strict: false });
  return (
    <>
      <h1>{id}</h1>
      <p>{texts.soon}</p>
    </>
  );
}

export function NewRowView() {
  return (
    <>
      <h1>{texts.grid.create}</h1>
      <p>{texts.soon}</p>
    </>
  );
}
