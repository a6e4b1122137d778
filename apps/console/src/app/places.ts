import { shell } from '../messages/shell.ts';
import { links } from './links.ts';
import { createStore } from './store.ts';

/** Where the palette goes to. */
export interface Place {
  readonly kind: string;
  readonly title: string;
  readonly path: string;
}

const pages: readonly Place[] = [
  { kind: 'page', title: shell.pages.fleet, path: links.fleet },
  { kind: 'page', title: shell.pages.sources, path: links.sources },
  { kind: 'page', title: shell.pages.audit, path: links.audit },
  { kind: 'page', title: shell.pages.reports, path: links.reports },
  { kind: 'page', title: shell.pages.playground, path: links.playground },
];

/** The pages, and what they have shown by name. */
export const knownPlaces = createStore<readonly Place[]>(pages);

/** Makes things of a kind known to the palette, in the place of those known before. */
export function notePlaces(kind: string, places: readonly Omit<Place, 'kind'>[]): void {
  const others = knownPlaces.get().filter((place) => place.kind !== kind);
  knownPlaces.set([...others, ...places.map((place) => ({ ...place, kind }))]);
}
