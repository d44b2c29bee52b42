import { useParams } from '@tanstack/react-router';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';

export function CollectionView() {
  const { schema } = useConnection();
  const { name = '' } = useParams({ strict: false });
  const collection = schema.collections.get(name);
  return <h1>{collection === undefined ? texts.noCollection(name) : collection.title}</h1>;
}
