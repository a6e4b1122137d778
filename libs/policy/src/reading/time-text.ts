const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))$/;

/**
 * Whether a text is a time as RFC 3339 writes it, with any offset; read as Kubernetes reads it, which also takes an
 * hour of one digit and a comma before the fraction.
 */
export function isTimeText(text: string): boolean {
  const match = pattern.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  return (
    isDate(year ?? 0, month ?? 0, day ?? 0) &&
    isWithin(hour, 23) &&
    isWithin(minute, 59) &&
    isWithin(second, 59) &&
    isWithin(offsetHour, 24) &&
    isWithin(offsetMinute, 60)
  );
}

function isWithin(value: number | undefined, maximum: number): boolean {
  return value !== undefined && value <= maximum;
}

function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
