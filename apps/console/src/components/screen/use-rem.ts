import { createStore, useStore } from '../../state/store.ts';

const rem = createStore(readRem());
addEventListener('resize', () => rem.set(readRem()));

function readRem(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** Pixels of a rem, which is larger on large screens: for what is not measured by style sheets. */
export function useRem(): number {
  return useStore(rem);
}
