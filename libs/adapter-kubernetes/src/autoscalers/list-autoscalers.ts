import { AdapterError, isJsonObject, type JsonObject } from '#kernel';
import { KubeConfig } from '@kubernetes/client-node';
import { openConnection } from '../connection/kube-connection.ts';
import { ApiClient } from '../http/api-client.ts';
import { text } from '../objects/kube-object.ts';

/** Which autoscalers of which cluster. */
export interface AutoscalerQuery {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  readonly context?: string;
  /** Namespaces, or all; absent: the context's own, else `default`. */
  readonly namespaces?: readonly string[] | 'all';
}

/** What a cluster has. */
export interface ListedAutoscalers {
  /** HorizontalPodAutoscalers of `autoscaling/v2` and WatermarkPodAutoscalers, as the server holds them. */
  readonly documents: readonly JsonObject[];
  /** What could not be listed, and why: a kind that the cluster lacks is not among it. */
  readonly failures: readonly string[];
}

const kinds = [
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', resource: 'horizontalpodautoscalers' },
  {
    apiVersion: 'datadoghq.com/v1alpha1',
    kind: 'WatermarkPodAutoscaler',
    resource: 'watermarkpodautoscalers',
  },
] as const;

const pageSize = '250';
/** A quarter of a million objects: a server that repeats its continue token must not keep us for ever. */
const maximumPages = 1_000;
const pageTimeoutMs = 30_000;

/**
 * Lists live autoscalers, once, without watching.
 *
 * @throws AdapterError `InvalidKubeconfig`, `Unreachable`, `Timeout`, `Unauthorized`: nothing could be listed
 */
export async function listLiveAutoscalers(query: AutoscalerQuery): Promise<ListedAutoscalers> {
  const { kubeconfig: path, context } = query;
  const connection = openConnection({ type: 'Kubeconfig', path, ...(context !== undefined && { context }) });
  const client = new ApiClient(connection);
  const documents: JsonObject[] = [];
  const failures: string[] = [];
  try {
    for (const scope of scopesOf(query)) {
      for (const { apiVersion, kind, resource } of kinds) {
        const found = await listKind(client, `/apis/${apiVersion}${scope}/${resource}`);
        if (typeof found === 'string') failures.push(found);
        // Items of a list do not repeat what they are.
        else documents.push(...found.map((item) => ({ apiVersion, kind, ...item })));
      }
    }
  } finally {
    await connection.close();
  }
  return { documents, failures };
}

function scopesOf({ kubeconfig, context, namespaces }: AutoscalerQuery): readonly string[] {
  if (namespaces === 'all') return [''];
  const named = namespaces ?? [namespaceOf(kubeconfig, context)];
  return [...new Set(named)].map((namespace) => `/namespaces/${encodeURIComponent(namespace)}`);
}

function namespaceOf(path: string, context: string | undefined): string {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(path);
  return kubeConfig.getContextObject(context ?? kubeConfig.getCurrentContext())?.namespace ?? 'default';
}

/** The items, or why this kind cannot be listed while others may. */
async function listKind(client: ApiClient, path: string): Promise<readonly JsonObject[] | string> {
  try {
    return await listItems(client, path);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    if (error.code === 'NotFound') return [];
    if (error.code === 'Forbidden') return error.message;
    throw error;
  }
}

async function listItems(client: ApiClient, path: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let token: string | undefined;
  for (let page = 0; page < maximumPages; page += 1) {
    const query = { limit: pageSize, continue: token };
    const answer = await client.json({ path, query, timeoutMs: pageTimeoutMs });
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
