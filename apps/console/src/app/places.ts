import { shell } from '../messages/shell.ts';
import { links } from './links.ts';
import { createStore } from './store.ts';

/** Where the palette goes to. */
export interface Place {
  readonly kind: string;
  readonly title: string;
  readonly path: string;
}

const pages: readonly Omit<Place, 'kind'>[] = [
  { title: shell.pages.fleet, path: links.fleet },
  { title: shell.pages.sources, path: links.sources },
  { title: shell.pages.audit, path: links.audit },
  { title: shell.pages.reports, path: links.reports },
  { title: shell.pages.playground, path: links.playground },
];

/** The pages, and what they have shown by name. */
export const knownPlaces = createStore<ReadonlyMap<string, () => readonly Omit<Place, 'kind'>[]>>(
  new Map([['page', () => pages]]),
);

/** Makes things of a kind known to the palette, in the place of those known before; they are named when it is opened. */
export function notePlaces(kind: string, places: () => readonly Omit<Place, 'kind'>[]): void {
  knownPlaces.set(new Map([...knownPlaces.get(), [kind, places]]));
}

/** All places, by kind. */
export function placesOf(known: ReturnType<typeof knownPlaces.get>): readonly Place[] {
  return [...known].flatMap(([kind, places]) => places().map((place) => ({ ...place, kind })));
}
