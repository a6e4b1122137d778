import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../modules/', import.meta.url));

/** The package of component-base that every Kubernetes binary takes its version from; without it clients see v0.0.0. */
const COMPONENT_BASE_VERSION = 'k8s.io/component-base/version';

/**
 * One entry a go.mod: KWOK and metrics-server want other Kubernetes libraries than the control plane. The versions are
 * in the go.mod files and nowhere else. `yaml` names files of the module that are kept beside its binaries.
 */
const SETS = [
  {
    name: 'kubernetes',
    module: 'k8s.io/kubernetes',
    binaries: {
      etcd: 'go.etcd.io/etcd/server/v3',
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
    linkerVariables: (version) => {
      const [major, minor] = version.slice(1).split('.');
      return { gitVersion: version, gitMajor: major, gitMinor: minor };
    },
    yaml: {},
  },
  {
    name: 'kwok',
    module: 'sigs.k8s.io/kwok',
    binaries: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
    linkerVariables: () => ({}),
    yaml: {
      'kwok-stages.yaml': [
        'kustomize/stage/node/fast/node-initialize.yaml',
        'kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
        'kustomize/stage/pod/fast/pod-ready.yaml',
        'kustomize/stage/pod/fast/pod-complete.yaml',
        'kustomize/stage/pod/fast/pod-delete.yaml',
        'kustomize/metrics/resource/metrics-resource.yaml',
        'kustomize/metrics/usage/usage-from-annotation.yaml',
      ],
    },
  },
  {
    name: 'metrics-server',
    module: 'sigs.k8s.io/metrics-server',
    binaries: { 'metrics-server': 'sigs.k8s.io/metrics-server/cmd/metrics-server' },
    linkerVariables: () => ({}),
    yaml: {},
  },
];

/** The component sets with their version, module folder, cache folder and linker flags filled in. */
export function loadComponentSets() {
  return SETS.map((set) => {
    const source = join(MODULES, set.name);
    const goMod = readFileSync(join(source, 'go.mod'), 'utf8');
    const version = requiredVersion(goMod, set.module);
    const folder = join(
      cacheRoot(),
      `${set.name}-${version}-${digest(goMod, readFileSync(join(source, 'go.sum'), 'utf8'))}`,
    );
    return { ...set, source, version, folder, ldflags: ldflags(set.linkerVariables(version)) };
  });
}

/** The folder that holds one sub-folder a component set and version. */
export function cacheRoot() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'plimsoll', 'control-plane');
}

function requiredVersion(goMod, module) {
  const line = goMod.split('\n').find((candidate) =>
    candidate
      .trim()
      .replace(/^require /, '')
      .startsWith(`${module} v`),
  );
  if (line === undefined) throw new Error(`go.mod requires no version of ${module}`);
  return line
    .trim()
    .replace(/^require /, '')
    .split(' ')[1];
}

/** Two checkouts that differ in a dependency only, or two machines that share a home folder, must not share binaries. */
function digest(...texts) {
  return createHash('sha256')
    .update([process.platform, process.arch, ...texts].join('\0'))
    .digest('hex')
    .slice(0, 8);
}

function ldflags(variables) {
  return [
    '-s',
    '-w',
    ...Object.entries(variables).map(([name, value]) => `-X ${COMPONENT_BASE_VERSION}.${name}=${value}`),
  ].join(' ');
}
