import { AdapterError, apiGroupOf, type JsonObject } from '#kernel';
import type { Timing } from '../time/timing.ts';
import { type Loaded, TtlCache } from '../time/ttl-cache.ts';
import type { ApiClient } from './api-client.ts';
import { hasCode } from './api-failure.ts';
import type { KindAbsences } from './kind-absences.ts';
import { groupPathOf } from './kind-name.ts';
import { object, objects, text } from './kube-object.ts';

/** A kind as the API server serves it. */
export interface RestMapping {
  /** `/apis/apps/v1`, `/api/v1` */
  readonly groupPath: string;
  /** `apps/v1`, `v1` */
  readonly apiVersion: string;
  readonly kind: string;
  /** The plural that paths use. */
  readonly resource: string;
  readonly isNamespaced: boolean;
  /** Whether it has a `/scale` subresource. */
  readonly hasScale: boolean;
}

/** Groups and kinds come and go with CustomResourceDefinitions. */
const lifetimeMilliseconds = 10 * 60_000;
/** What is not served may be installed any minute; until then every policy that names it would ask. */
const absentLifetimeMilliseconds = 15_000;
/** Far more group versions than any cluster has. */
const maximumGroupVersions = 2_000;

type Resources = ReadonlyMap<string, RestMapping>;

export interface RestMapperOptions {
  readonly client: ApiClient;
  /** Receives every kind that discovery lists. */
  readonly absences: KindAbsences;
  readonly timing: Timing;
}

/** From apiVersion and kind to paths, through discovery. */
export class RestMapper {
  readonly #client: ApiClient;
  readonly #absences: KindAbsences;
  readonly #resources: TtlCache<Resources>;
  readonly #versions: TtlCache<readonly string[]>;
  /** Lists that were read before this generation are not believed. */
  #since = 0;

  constructor({ client, absences, timing }: RestMapperOptions) {
    this.#client = client;
    this.#absences = absences;
    const options = { timing, maximumEntries: maximumGroupVersions };
    this.#resources = new TtlCache(options);
    this.#versions = new TtlCache(options);
  }

  /**
   * The mapping of a kind: in the version asked for, else in whichever version of its group serves it.
   *
   * @throws AdapterError `UnknownKind` where no version of the group does; what `ApiClient` throws.
   */
  async mappingOf(apiVersion: string, kind: string): Promise<RestMapping> {
    const wanted = (await this.#resourcesOf(apiVersion)).get(kind);
    if (wanted !== undefined) return wanted;
    for (const version of await this.#versionsOf(apiGroupOf(apiVersion))) {
      const served = (await this.#resourcesOf(version)).get(kind);
      if (served !== undefined) return served;
    }
    const message = `the API server serves no kind ${kind} in ${apiVersion} or another version of its group`;
    throw new AdapterError({ code: 'UnknownKind', message, retryable: true });
  }

  /** Believes no list that was read before: for a kind that discovery serves by now. */
  refresh(): void {
    this.#since = this.#resources.advance();
    this.#versions.advance();
  }

  #resourcesOf(apiVersion: string): Promise<Resources> {
    const load = async (): Promise<Loaded<Resources>> => {
      const value = await this.#listResources(apiVersion);
      for (const { kind } of value.values()) this.#absences.noteServed({ apiVersion, kind });
      return {
        value,
        lifetimeMilliseconds: value.size === 0 ? absentLifetimeMilliseconds : lifetimeMilliseconds,
      };
    };
    return this.#resources.get(apiVersion, load, this.#since);
  }

  async #listResources(apiVersion: string): Promise<Resources> {
    const groupPath = groupPathOf(apiVersion);
    const all = await this.#listed({ path: groupPath, field: 'resources' });
    const scalable = new Set(
      all.map((entry) => text(entry['name'])).filter((name) => name.endsWith('/scale')),
    );
    const mappings = new Map<string, RestMapping>();
    for (const entry of all) {
      const resource = text(entry['name']);
      if (resource.includes('/')) continue;
      const kind = text(entry['kind']);
      const isNamespaced = entry['namespaced'] === true;
      const hasScale = scalable.has(`${resource}/scale`);
      mappings.set(kind, { groupPath, apiVersion, kind, resource, isNamespaced, hasScale });
    }
    return mappings;
  }

  /** What discovery lists; none where it says that there is none. @throws AdapterError `Malformed` for any other answer. */
  async #listed({
    path,
    field,
  }: {
    readonly path: string;
    readonly field: string;
  }): Promise<readonly JsonObject[]> {
    const answer = await this.#client.json({ path }).catch(emptyWhenNotFound);
    if (answer === undefined) return [];
    const list = object(answer)[field];
    if (list === null) return [];
    if (Array.isArray(list)) return objects(list);
    const message = `GET ${path}: an answer of discovery has no ${field}`;
    throw new AdapterError({ code: 'Malformed', message, retryable: true });
  }

  #versionsOf(group: string): Promise<readonly string[]> {
    if (group === '') return Promise.resolve([]);
    const load = async (): Promise<Loaded<readonly string[]>> => {
      const path = `/apis/${encodeURIComponent(group)}`;
      const versions = await this.#listed({ path, field: 'versions' });
      const value = versions.map((version) => text(version['groupVersion']));
      return {
        value,
        lifetimeMilliseconds: value.length === 0 ? absentLifetimeMilliseconds : lifetimeMilliseconds,
      };
    };
    return this.#versions.get(group, load, this.#since);
  }
}

/** Where an object of the mapping lives. */
export function objectPath(mapping: RestMapping, { namespace, name }: ObjectName): string {
  const scope = mapping.isNamespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${mapping.groupPath}${scope}/${mapping.resource}/${encodeURIComponent(name)}`;
}

/** An object's name; the namespace is left out of cluster-scoped paths. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

function emptyWhenNotFound(error: unknown): undefined {
  if (hasCode(error, 'NotFound')) return undefined;
  throw error;
}
