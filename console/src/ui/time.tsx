/** A time in the words of the reader; the exact one is in its title. */
export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={value}>
      {new Date(value).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' })}
    </time>
  );
}
