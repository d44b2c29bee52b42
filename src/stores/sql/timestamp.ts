const DAY = 86_400_000;
const LAST_MILLISECOND = 253_402_300_799_999;
const FIRST_MILLISECOND = -62_167_219_200_000;

const two = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar: eras of 400 years that begin in March. */
function date(day: number): string {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const dayOfMonth = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${two[Math.floor(year / 100)]}${two[year % 100]}-${two[month]}-${two[dayOfMonth]}`;
}

/**
 * Milliseconds since the epoch as RFC 3339 in UTC with three decimals (REP-3). A page formats forty of them, which
 * `Date#toISOString` does several times slower.
 */
export function timestamp(milliseconds: number): string {
  if (!(milliseconds >= FIRST_MILLISECOND && milliseconds <= LAST_MILLISECOND)) {
    return new Date(milliseconds).toISOString();
  }
  const day = Math.floor(milliseconds / DAY);
  const rest = milliseconds - day * DAY;
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  const fraction = rest - seconds * 1_000;
  const time = `${two[Math.floor(minutes / 60)]}:${two[minutes % 60]}:${two[seconds % 60]}`;
  return `${date(day)}T${time}.${Math.floor(fraction / 100)}${two[fraction % 100]}Z`;
}
