import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';

/** The first page: says what to do. */
export function HomeView() {
  const { config, schema } = useConnection();
  return (
    <>
      <h1>{config.title}</h1>
      <p>
        {texts.navigation.count(schema.collections.size)}. {texts.home.hint}
      </p>
    </>
  );
}
