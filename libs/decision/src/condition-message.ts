/** The message of a condition that no rule has set in this evaluation: memory carries none. */
export const rememberedMessage = 'as remembered from an earlier pass';

/** What is left from the latest write until the next one, whether or not a count was ever zero. */
const sentences: Readonly<Record<string, string>> = {
  ScaledToZero: 'the target was scaled to zero by its policy',
  NotScaledToZero: 'the target was not scaled to zero by its policy',
};

/** What a condition says to people: where its message is that it is remembered, what its reason means, if that is known. */
export function conditionMessage({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): string {
  return message === rememberedMessage && Object.hasOwn(sentences, reason)
    ? (sentences[reason] ?? message)
    : message;
}
