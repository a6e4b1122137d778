/** A valid policy as YAML; the target has its name. */
export function policyYaml(
  name: string,
  spec: { readonly max?: number; readonly namespace?: string | null; readonly extra?: string } = {},
): string {
  const { max: maximum = 10, namespace = 'shop', extra = '' } = spec;
  return `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
${namespace === null ? '' : `  namespace: ${namespace}\n`}spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 1
  maxReplicas: ${maximum}
${extra}`;
}

/** A policy without a namespace, for a tenant's directory. */
export const own = (name: string, maximum = 10): string =>
  policyYaml(name, { max: maximum, namespace: null });
export const max = (name: string, maximum: number): string => policyYaml(name, { max: maximum });
export const a = policyYaml('a');
export const b = policyYaml('b');
export const both = ['shop/a 1-10', 'shop/b 1-10'];

/** An `AutoscalingPolicy`. */
export const native = (
  name: string,
  spec = '  maxReplicas: 10\n',
): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
${spec}`;

export const kustomization = (...lines: readonly string[]): string =>
  `kind: Kustomization\n${lines.join('\n')}\n`;
