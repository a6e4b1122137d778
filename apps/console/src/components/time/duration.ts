const units = [
  { name: 'd', milliseconds: 86_400_000 },
  { name: 'h', milliseconds: 3_600_000 },
  { name: 'min', milliseconds: 60_000 },
  { name: 's', milliseconds: 1_000 },
] as const;

/** The largest unit that fits, rounded down: `12 s`, `3 min`, `2 d`. Below a second: `0 s`. */
export function durationText(milliseconds: number): string {
  const unit = units.find((each) => milliseconds >= each.milliseconds) ?? units[3];
  return `${Math.floor(Math.max(0, milliseconds) / unit.milliseconds)} ${unit.name}`;
}
