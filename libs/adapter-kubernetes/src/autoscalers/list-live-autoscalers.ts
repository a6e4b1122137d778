import { AdapterError, isJsonObject, type JsonObject } from '#kernel';
import { ApiClient } from '../api/api-client.ts';
import { hasCode } from '../api/api-failure.ts';
import { openConnection } from '../api/kube-connection.ts';
import { text } from '../api/kube-object.ts';
import { Kubeconfig } from '../api/kubeconfig.ts';

/** Which autoscalers of which cluster. */
export interface AutoscalerQuery {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  readonly context?: string;
  /** Namespaces, or all; absent: the context's own, else `default`. */
  readonly namespaces?: readonly string[] | 'all';
}

/** The autoscalers that a cluster has. */
export interface ListedAutoscalers {
  /** HorizontalPodAutoscalers (`autoscaling/v2`; `v1` of a server before 1.23) and WatermarkPodAutoscalers, as the server holds them. */
  readonly documents: readonly JsonObject[];
  /** What could not be listed, and why. */
  readonly failures: readonly string[];
  /** What is as it is without being a failure: a kind that the cluster lacks, a namespace that has none. */
  readonly notes: readonly string[];
}

interface ListedKind {
  readonly kind: string;
  readonly resource: string;
  /** Tried in this order; a server that does not serve one answers 404. */
  readonly versions: readonly string[];
}

const kinds: readonly ListedKind[] = [
  {
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    versions: ['autoscaling/v2', 'autoscaling/v1'],
  },
  {
    kind: 'WatermarkPodAutoscaler',
    resource: 'watermarkpodautoscalers',
    versions: ['datadoghq.com/v1alpha1'],
  },
];

const pageSize = '250';
/** A quarter of a million objects: a server that repeats its continue token must not keep us for ever. */
const maximumPages = 1_000;
/** 500 of them with long annotations. */
const maximumPageBytes = 32 * 1024 * 1024;
const pageTimeoutMilliseconds = 30_000;
/** A list whose pages expire (410, after five minutes or a compaction) is begun anew this often. */
const maximumAttempts = 3;

/**
 * Lists live autoscalers, once, without watching.
 *
 * @throws AdapterError `InvalidKubeconfig`, `Unreachable`, `Timeout`, `Unauthorized`, `Forbidden`: nothing could be listed
 */
export async function listLiveAutoscalers(query: AutoscalerQuery): Promise<ListedAutoscalers> {
  const { kubeconfig: path, context } = query;
  const connection = openConnection({ kind: 'Kubeconfig', path, ...(context !== undefined && { context }) });
  const lister = new Lister(new ApiClient(connection));
  try {
    for (const namespace of namespacesOf(query)) await lister.listNamespace(namespace);
  } finally {
    await connection.close();
  }
  return lister.end();
}

/** Namespaces by name; `undefined` is all of them. */
function namespacesOf({ kubeconfig, context, namespaces }: AutoscalerQuery): readonly (string | undefined)[] {
  if (namespaces === 'all') return [undefined];
  return [...new Set(namespaces ?? [contextNamespace(kubeconfig, context)])];
}

function contextNamespace(path: string, context: string | undefined): string {
  return Kubeconfig.ofFile(path, context).context?.namespace ?? 'default';
}

/** The items of one kind in one scope, why they cannot be listed, or that the cluster does not have the kind. */
type KindList =
  | { readonly kind: 'Listed'; readonly documents: readonly JsonObject[] }
  | { readonly kind: 'Refused'; readonly error: AdapterError }
  | { readonly kind: 'NotServed' };

class Lister {
  readonly #client: ApiClient;
  readonly #documents: JsonObject[] = [];
  readonly #refusals: AdapterError[] = [];
  readonly #notes = new Set<string>();
  #answers = 0;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async listNamespace(namespace: string | undefined): Promise<void> {
    const [before, refused] = [this.#documents.length, this.#refusals.length];
    for (const kind of kinds) this.#take(kind, await this.#list(kind, namespace));
    const isEmpty = this.#documents.length === before && this.#refusals.length === refused;
    if (!isEmpty) return;
    this.#notes.add(
      namespace === undefined ? 'no namespace has any' : `namespace ${namespace} has none, or does not exist`,
    );
  }

  /** @throws AdapterError the first refusal, where there was nothing else. */
  end(): ListedAutoscalers {
    const [first] = this.#refusals;
    if (first !== undefined && this.#answers === 0) throw first;
    return {
      documents: this.#documents,
      failures: this.#refusals.map(({ message }) => message),
      notes: [...this.#notes],
    };
  }

  #take({ kind, versions }: ListedKind, list: KindList): void {
    if (list.kind === 'Refused') {
      this.#refusals.push(list.error);
    } else if (list.kind === 'NotServed') {
      this.#notes.add(`the cluster has no ${kind} (${versions.join(', ')})`);
    } else {
      this.#answers += 1;
      this.#documents.push(...list.documents);
    }
  }

  async #list(listed: ListedKind, namespace: string | undefined): Promise<KindList> {
    for (const apiVersion of listed.versions) {
      const list = await this.#listVersion(listed, apiVersion, namespace);
      if (list.kind !== 'NotServed') return list;
    }
    return { kind: 'NotServed' };
  }

  async #listVersion(
    { kind, resource }: ListedKind,
    apiVersion: string,
    namespace: string | undefined,
  ): Promise<KindList> {
    const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    try {
      const items = await listItems(this.#client, `/apis/${apiVersion}${scope}/${resource}`);
      // Items of a list do not repeat what they are.
      return { kind: 'Listed', documents: items.map((item) => ({ ...item, apiVersion, kind })) };
    } catch (error) {
      if (hasCode(error, 'NotFound')) return { kind: 'NotServed' };
      if (!(error instanceof AdapterError) || error.code !== 'Forbidden') throw error;
      // Who may do nothing with a kind is refused whether or not the cluster has it; discovery is open to all.
      return (await this.#serves(apiVersion)) ? { kind: 'Refused', error } : { kind: 'NotServed' };
    }
  }

  async #serves(apiVersion: string): Promise<boolean> {
    try {
      await this.#client.json({ path: `/apis/${apiVersion}`, timeoutMilliseconds: pageTimeoutMilliseconds });
      return true;
    } catch (error) {
      return !hasCode(error, 'NotFound');
    }
  }
}

/** All pages of a list; begun anew where they expire on the way. */
async function listItems(client: ApiClient, path: string): Promise<readonly JsonObject[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listPages(client, path);
    } catch (error) {
      if (!hasCode(error, 'Expired') || attempt === maximumAttempts) throw error;
    }
  }
}

async function listPages(client: ApiClient, path: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let token: string | undefined;
  for (let page = 0; page < maximumPages; page += 1) {
    const query = { limit: pageSize, continue: token };
    const answer = await client.json({
      path,
      query,
      timeoutMilliseconds: pageTimeoutMilliseconds,
      maximumBytes: maximumPageBytes,
      mapItem: (item) => item,
    });
    const { items, metadata } = isJsonObject(answer) ? answer : {};
    found.push(...(Array.isArray(items) ? items : []).filter((item) => isJsonObject(item)));
    token = text(isJsonObject(metadata) ? metadata['continue'] : undefined);
    if (token === '') return found;
  }
  throw new AdapterError({
    code: 'TooLarge',
    message: `${path}: more than ${maximumPages} pages`,
    retryable: false,
  });
}
