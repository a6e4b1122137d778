import type { JsonObject } from '#kernel';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Resources that are computed when read and cannot be written. */
const metricsGroups = [
  'metrics.k8s.io/v1beta1',
  'custom.metrics.k8s.io/v1beta2',
  'external.metrics.k8s.io/v1beta1',
] as const;

/** The version that the simulator speaks. */
const serverVersion = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+plimsoll-simulator',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'node',
};

/** Answers `/version`, `/api`, `/apis` and the lists below them; undefined for any other path. */
export function discover(path: string, registry: ResourceRegistry): JsonObject | undefined {
  const [, root, group, version, ...more] = path.replace(/\/$/, '').split('/');
  if (more.length > 0) return undefined;
  if (root === 'version' && group === undefined) return serverVersion;
  if (root === 'api') return version === undefined ? discoverCore(group, registry) : undefined;
  if (root !== 'apis') return undefined;
  return version === undefined
    ? discoverGroup(group, registry)
    : resourceList(`${group ?? ''}/${version}`, registry);
}

function discoverCore(version: string | undefined, registry: ResourceRegistry): JsonObject | undefined {
  if (version !== undefined) return version === 'v1' ? resourceList('v1', registry) : undefined;
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

function discoverGroup(name: string | undefined, registry: ResourceRegistry): JsonObject | undefined {
  const groups = apiGroups(registry);
  if (name === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...groups.values()] };
  const found = groups.get(name);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...found };
}

function apiGroups(registry: ResourceRegistry): Map<string, JsonObject> {
  const versions = new Set<string>(metricsGroups);
  for (const resource of registry.all()) if (resource.group !== '') versions.add(apiVersionOf(resource));
  const byGroup = Map.groupBy(versions, (groupVersion) => groupVersion.split('/')[0] ?? '');
  return new Map(
    [...byGroup].map(([name, list]) => {
      const entries = list.map((groupVersion) => ({
        groupVersion,
        version: groupVersion.split('/')[1] ?? '',
      }));
      return [name, { name, versions: entries, preferredVersion: entries[0] }];
    }),
  );
}

function resourceList(groupVersion: string, registry: ResourceRegistry): JsonObject | undefined {
  const served = registry.all().filter((resource) => apiVersionOf(resource) === groupVersion);
  const resources = [...served.flatMap(describe), ...metricsResources(groupVersion)];
  const isMetrics = metricsGroups.some((group) => group === groupVersion);
  if (resources.length === 0 && !isMetrics) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function describe(resource: ResourceDefinition): JsonObject[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = resource;
  const names = {
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  const below = { singularName: '', namespaced, verbs: subresourceVerbs };
  return [
    { name: plural, singularName: singular, namespaced, kind, verbs: verbs, ...names },
    ...(resource.hasStatus ? [{ name: `${plural}/status`, kind, ...below }] : []),
    ...(resource.scale === undefined
      ? []
      : [{ name: `${plural}/scale`, kind: 'Scale', group: 'autoscaling', version: 'v1', ...below }]),
  ];
}

function metricsResources(groupVersion: string): JsonObject[] {
  if (groupVersion !== metricsGroups[0]) return [];
  return [{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] }];
}
