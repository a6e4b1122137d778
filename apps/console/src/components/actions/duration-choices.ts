import { actions as texts } from '../../messages/actions.ts';

/** How long an intervention is to last. */
export interface DurationChoice {
  /** From the moment at which it is looked up what it would do. */
  readonly seconds: number;
  readonly text: string;
}

/** Of what is asked for most; none is offered that the controller would refuse. */
const usualHours = [0.25, 1, 4, 24, 72, 168];

/** The controller's, unless its configuration says otherwise. */
const defaultMaximumHours = 24;

const hourSeconds = 3_600;

/** So that the longest is within the limit by the controller's clock, too. */
const marginSeconds = 60;

/**
 * The usual lengths of an intervention up to the longest that the controller takes, and that itself, which ends a minute
 * early.
 *
 * @param maximumHours 1 to 168; undefined: not known yet
 */
export function durationChoices(maximumHours = defaultMaximumHours): readonly DurationChoice[] {
  const offered = new Set([...usualHours.filter((hours) => hours < maximumHours), maximumHours]);
  const longest = maximumHours * hourSeconds - marginSeconds;
  return [...offered].map((hours) => ({
    seconds: Math.min(hours * hourSeconds, longest),
    text: texts.duration(hours),
  }));
}

/** What is chosen: an hour until somebody chooses, and the longest where what was chosen is not offered any more. */
export function chosenDuration(
  choices: readonly DurationChoice[],
  chosen: string | undefined,
): DurationChoice | undefined {
  const wanted = chosen ?? texts.duration(1);
  return choices.find(({ text }) => text === wanted) ?? choices.at(-1);
}
