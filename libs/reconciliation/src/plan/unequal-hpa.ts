import { isJsonObject, shortText } from '#kernel';
import { completeSpec, describeDifferences, differencesOf, specDigestOf } from '../hpa/managed-part.ts';
import { type ActuationPlan, describeUnequal } from '../hpa/plan-actuation.ts';
import type { AutoscalerReading } from '../ports/native-autoscalers.port.ts';

type Unequal = Extract<ActuationPlan, { kind: 'Unequal' }>;

/** As many differences as a sentence names. */
const namedDifferences = 6;
/** Characters of them: an Event's message has at most 1,024, and says more than this. */
const maximumLength = 500;

/**
 * What an HPA that is not taken over as equal differs in. The cache keeps no specs of HPAs that are not ours, so it is
 * read once for each pair that is compared.
 */
export class UnequalHpa {
  #pair = '';
  #differences = '';

  /** Why the HPA is not taken over, with what differs as far as that is known. */
  describe({ live, rendered }: Unequal): string {
    return describeUnequal(live, this.#isKnown({ live, rendered }) ? this.#differences : '');
  }

  /** Whether what differs is not known yet. */
  isUnread(plan: Unequal): boolean {
    return !this.#isKnown(plan);
  }

  /** Takes what was read; a failure leaves it unread. */
  note({ rendered }: Unequal, reading: AutoscalerReading): void {
    if (reading.kind !== 'Found') return;
    const { autoscaler, document } = reading;
    const found = isJsonObject(document['spec']) ? document['spec'] : {};
    const differences = differencesOf({ spec: completeSpec(found) }, { spec: completeSpec(rendered.spec) });
    this.#pair = pairOf({ live: autoscaler, rendered });
    this.#differences = shortened(
      describeDifferences(differences.slice(0, namedDifferences)),
      differences.length,
    );
  }

  #isKnown(plan: Pick<Unequal, 'live' | 'rendered'>): boolean {
    return this.#pair === pairOf(plan);
  }
}

function pairOf({ live, rendered }: Pick<Unequal, 'live' | 'rendered'>): string {
  return `${live.uid} ${live.specDigest} ${specDigestOf(rendered.spec)}`;
}

function shortened(text: string, count: number): string {
  const short = shortText(text, maximumLength);
  return count > namedDifferences ? `${short}, and more` : short;
}
