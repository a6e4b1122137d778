/** Values of a span: names, counts, outcomes. Never a secret, nor a text that a stranger wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Work that is timed, as part of other work. */
export interface Span {
  setAttributes(attributes: SpanAttributes): void;
  /** Times a part of it, whether it ends or throws. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The same for work without waiting. */
  compute<T>(name: string, work: () => T): T;
}

/** Times what the process does, for a collector of traces. Nothing that goes wrong there reaches the work. */
export interface TracesPort {
  /** Times work by itself: a pass, a sync. */
  trace<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>;
}

/** A span that times nothing. */
export const untracedSpan: Span = {
  setAttributes: () => undefined,
  step: (_name, work) => work(),
  compute: (_name, work) => work(),
};

/** Traces of a process that none are wanted of. */
export const untraced: TracesPort = {
  trace: (_name, _attributes, work) => work(untracedSpan),
};
