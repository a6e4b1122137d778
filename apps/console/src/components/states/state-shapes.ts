import type { ShownState } from '../../messages/states.ts';

/** One per state, and no two alike: a row that has no room for words tells them apart. */
export const stateShapes: Readonly<Record<ShownState, string>> = {
  // A cross.
  Failing: 'M1.7 0 5 3.3 8.3 0 10 1.7 6.7 5 10 8.3 8.3 10 5 6.7 1.7 10 0 8.3 3.3 5 0 1.7Z',
  // Two that run into each other.
  Conflict: 'M0 .5 4.6 5 0 9.5ZM10 .5 5.4 5 10 9.5Z',
  // A warning triangle.
  Short: 'M5 .8 9.8 9.4H.2Z',
  // One up, one down.
  Contested: 'M2.5 0 5 3.8H3.4V10H1.6V3.8H0ZM7.5 10 5 6.2h1.6V0h1.8v6.2H10Z',
  // An exclamation mark.
  Overdue: 'M3.6 0h2.8L6 6.4H4ZM5 7.2a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 1 0 0-2.8Z',
  // An hourglass.
  StaleSource: 'M.8 0h8.4L6 5l3.2 5H.8L4 5Z',
  // Three dots.
  Waiting:
    'M0 5a1.4 1.4 0 1 0 2.8 0A1.4 1.4 0 1 0 0 5ZM3.6 5a1.4 1.4 0 1 0 2.8 0A1.4 1.4 0 1 0 3.6 5ZM7.2 5a1.4 1.4 0 1 0 2.8 0A1.4 1.4 0 1 0 7.2 5Z',
  // A way round.
  Fallback: 'M0 .5h2V6h4V3l4 4-4 3V8H0Z',
  // A diamond.
  Held: 'M5 .2 9.8 5 5 9.8.2 5Z',
  // A diamond that is struck out.
  Rejected: 'M5 .2 9.8 5 5 9.8.2 5ZM2.6 4.2v1.6h4.8V4.2Z',
  // An arrow against a line.
  AtMaximum: 'M0 0h10v1.8H0ZM5 2.8 9.4 7H6.4v3H3.6V7H.6Z',
  // Pause.
  Suspended: 'M1 .8h3v8.4H1zM6 .8h3v8.4H6z',
  // Set to.
  Overridden: 'M.5 1.6h9v2.6h-9zM.5 5.8h9v2.6h-9z',
  // A clock.
  Scheduled:
    'M5 0a5 5 0 1 0 0 10A5 5 0 1 0 5 0Zm0 1.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 1 1 0-6.8ZM4.3 2.4h1.4v2.2h2V6H4.3Z',
  // A snowflake.
  Frozen:
    'M4.2 0h1.6v3.5l3-1.7.8 1.4L6.6 5l3 1.8-.8 1.4-3-1.7V10H4.2V6.5l-3 1.7-.8-1.4 3-1.8-3-1.8.8-1.4 3 1.7Z',
  // A ring.
  DryRun: 'M5 0a5 5 0 1 0 0 10A5 5 0 1 0 5 0Zm0 2a3 3 0 1 1 0 6 3 3 0 1 1 0-6Z',
  // An eye.
  Observing: 'M0 5Q5 -2 10 5 5 12 0 5ZM5 2.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 1 0 0-4.8Z',
  // A frame.
  NotEvaluated: 'M.8.8h8.4v8.4H.8Zm1.8 1.8v4.8h4.8V2.6Z',
  // A bar.
  Disabled: 'M.5 3.8h9v2.4h-9z',
};
