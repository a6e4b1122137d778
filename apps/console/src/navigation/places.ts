import { client } from '../api/client.ts';
import { common } from '../messages/common.ts';
import { nextTheme, theme, timeZone } from '../state/preferences.ts';
import { createStore } from '../state/store.ts';
import { links } from './links.ts';
import {
  PolicyPlacesDocument,
  type PolicyPlacesQuery,
  SourcePlacesDocument,
  type SourcePlacesQuery,
} from './places.generated.ts';

/** Where the palette goes to, or what it does. */
export interface Place {
  readonly kind: string;
  readonly title: string;
  /** An address of the console, or what is done. */
  readonly opens: string | (() => void);
}

type Unkinded = Omit<Place, 'kind'>;

const pages: readonly Unkinded[] = [
  { title: common.pages.fleet, opens: links.fleet },
  { title: common.pages.interventions, opens: links.interventions },
  { title: common.pages.sources, opens: links.sources },
  { title: common.pages.audit, opens: links.audit },
  { title: common.pages.reports, opens: links.reports },
  { title: common.pages.playground, opens: links.playground },
  { title: common.pages.controller, opens: links.controller },
  { title: common.pages.wall, opens: links.wall },
];

const switches: readonly Unkinded[] = [
  { title: common.palette.theme, opens: () => theme.set(nextTheme(theme.get())) },
  { title: common.palette.zone, opens: () => timeZone.set(timeZone.get() === 'utc' ? 'local' : 'utc') },
];

/** By kind; they are named when the palette is opened. */
export const knownPlaces = createStore<ReadonlyMap<string, () => readonly Unkinded[]>>(
  new Map([
    ['page', () => pages],
    ['switch', () => switches],
  ]),
);

/** Makes things of a kind known to the palette, in the place of those known before. */
export function notePlaces(kind: string, places: () => readonly Unkinded[]): void {
  knownPlaces.set(new Map([...knownPlaces.get(), [kind, places]]));
}

/** All places, by kind. */
export function placesOf(known: ReturnType<typeof knownPlaces.get>): readonly Place[] {
  return [...known].flatMap(([kind, places]) => places().map((place) => ({ ...place, kind })));
}

/** Pages of a hundred policies: a larger fleet is known from its page. */
const maximumPages = 20;

/** Learns the names of what no page has shown yet. What is not answered is asked for when the palette is opened next. */
export async function loadPlaces(): Promise<void> {
  const known = knownPlaces.get();
  await Promise.all([
    known.has('policy') ? undefined : loadPolicies(),
    known.has('source') ? undefined : loadSources(),
  ]);
}

async function loadPolicies(): Promise<void> {
  const found: Unkinded[] = [];
  let after: string | null = null;
  for (let page = 0; page < maximumPages; page += 1) {
    const policies = await readPolicies(after);
    if (policies === undefined) return;
    for (const { node } of policies.edges)
      found.push({ title: `${node.namespace}/${node.name}`, opens: links.policy(node) });
    if (!policies.pageInfo.hasNextPage) break;
    after = policies.pageInfo.endCursor;
  }
  // The fleet's own page may have come meanwhile, which knows all.
  if (!knownPlaces.get().has('policy')) notePlaces('policy', () => found);
}

async function readPolicies(after: string | null): Promise<PolicyPlacesQuery['policies'] | undefined> {
  const { data } = await client.query<PolicyPlacesQuery>(PolicyPlacesDocument.text, { after });
  return data?.policies;
}

async function loadSources(): Promise<void> {
  const { data } = await client.query<SourcePlacesQuery>(SourcePlacesDocument.text, {});
  if (data === undefined) return;
  notePlaces('source', () => data.sources.map(({ name }) => ({ title: name, opens: links.source(name) })));
}
