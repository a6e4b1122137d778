/** Something that happened, to be opened. */
export interface PlotMark {
  readonly id: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly title: string;
  readonly path: string;
  readonly kind: MarkKind;
}

/** What a mark is of; those of a lane do not cover those of another. */
export const markKinds = {
  up: { sign: '▲', lane: 0 },
  down: { sign: '▼', lane: 0 },
  // Outlined: by others.
  upByOthers: { sign: '△', lane: 0 },
  downByOthers: { sign: '▽', lane: 0 },
  bounds: { sign: '↕', lane: 1 },
  schedule: { sign: '◷', lane: 1 },
  freeze: { sign: '❄', lane: 1 },
  outage: { sign: '✕', lane: 1 },
  policy: { sign: '◆', lane: 2 },
  strategy: { sign: '■', lane: 2 },
  sync: { sign: '●', lane: 3 },
  // The halves of a circle: it begins, it ends.
  begun: { sign: '◖', lane: 3 },
  ended: { sign: '◗', lane: 3 },
  operator: { sign: '✚', lane: 3 },
} as const;

export type MarkKind = keyof typeof markKinds;
