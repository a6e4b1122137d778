import type { ActionEffect as WireEffect, Intervention } from '#contracts';
import type { StandingIntervention } from '#ledger';
import type { ActionEffect } from '../admin/requests/action-effect.ts';

/** A suspension, an override or a dry run. */
export function toIntervention({
  id,
  scope,
  intervention,
  against = [],
}: StandingIntervention): Intervention {
  const { reason, actor, since, expires } = intervention;
  const who = { reason: reason ?? '', actor: actor ?? '' };
  const standing = { id, scope, ...who, since: since ?? '', expires, against: [...against] };
  if (intervention.kind === 'Suspend')
    return { kind: 'Suspend', ...standing, direction: intervention.direction };
  if (intervention.kind === 'DryRun') return { kind: 'DryRun', ...standing };
  const { minReplicas = null, maxReplicas = null, replicas = null } = intervention;
  return { kind: 'Override', ...standing, minReplicas, maxReplicas, replicas };
}

/** What an action would do. */
export function toActionEffect({ standing, ...effect }: ActionEffect): WireEffect {
  return { ...effect, standing: standing.map(toIntervention) };
}
