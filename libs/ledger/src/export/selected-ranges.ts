import type { ExportFilter } from './export-filter.ts';

/** A range of names in the order of their UTF-8 bytes. */
interface Range {
  /** `Prefix`: all names that go on after the bytes; `Name`: that one. */
  readonly kind: 'Prefix' | 'Name';
  readonly bytes: Buffer;
}

/** The names that a filter of namespaces and policies selects, as ranges of the sorted names. */
export class SelectedRanges {
  readonly #ranges: readonly Range[];

  constructor({ namespaces, policies }: Pick<ExportFilter, 'namespaces' | 'policies'>) {
    this.#ranges = [
      ...(namespaces ?? []).flatMap((name) => rangesOf('Prefix', `${name}/`)),
      ...(policies ?? []).flatMap((name) => rangesOf('Name', name)),
    ];
  }

  /** Whether a name is selected. */
  selects(name: string): boolean {
    const bytes = Buffer.from(name);
    return this.#ranges.some((range) =>
      range.kind === 'Name'
        ? bytes.equals(range.bytes)
        : bytes.length > range.bytes.length && bytes.subarray(0, range.bytes.length).equals(range.bytes),
    );
  }

  /** Whether a selected name may be after one and before another, both left out; `null`: the beginning, or the end. */
  isBetween(after: string | null, before: string | null): boolean {
    const [from, to] = [bytesOf(after), bytesOf(before)];
    return this.#ranges.some((range) => !isBehind(from, range) && !isAhead(to, range));
  }

  /** The places next to the selected names, which prove that there are no others. */
  neighbours(names: readonly string[]): ReadonlySet<number> {
    const sorted = names.map((name) => Buffer.from(name));
    return new Set(
      this.#ranges
        .flatMap((range) => {
          const start = sorted.findIndex((name) => Buffer.compare(name, range.bytes) >= 0);
          const first = start === -1 ? sorted.length : start;
          const rest = sorted.slice(first).findIndex((name) => isBehind(name, range));
          const end = rest === -1 ? sorted.length : first + rest;
          // A name that is there needs no neighbours: its own proof says that it is.
          return range.kind === 'Name' && sorted[first]?.equals(range.bytes) === true ? [] : [first - 1, end];
        })
        .filter((place) => place >= 0 && place < sorted.length),
    );
  }
}

/** A policy has its own stream, and one for what came late. */
function rangesOf(kind: Range['kind'], name: string): readonly Range[] {
  return ['policy:', 'late:'].map((before) => ({ kind, bytes: Buffer.from(before + name) }));
}

function bytesOf(name: string | null): Buffer | null {
  return name === null ? null : Buffer.from(name);
}

/** Whether a name comes after all of a range, or is its only one. */
function isBehind(name: Buffer | null, { kind, bytes }: Range): boolean {
  if (name === null || Buffer.compare(name, bytes) < 0) return false;
  return kind === 'Name' || !name.subarray(0, bytes.length).equals(bytes);
}

/** Whether a name comes before all of a range, or is its first. */
function isAhead(name: Buffer | null, { bytes }: Range): boolean {
  return name !== null && Buffer.compare(name, bytes) <= 0;
}
