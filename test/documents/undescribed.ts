/** Something that readers of an interface see. */
export interface Described {
  /** The names that lead there: `Commit.author`. */
  readonly place: string;
  readonly description: string | null | undefined;
}

/** Words that say nothing by themselves. */
const fillers: ReadonlySet<string> = new Set(
  'a an and are as at by for from has have in is it its of on or that the them this to was were which with'.split(
    ' ',
  ),
);

/** The places of which nothing is said that the names of the place do not say already. */
export function undescribed(all: readonly Described[]): readonly string[] {
  return all
    .filter(({ place, description }) => {
      const names = new Set(wordsOf(place));
      return wordsOf(description ?? '').every((word) => names.has(word) || fillers.has(word));
    })
    .map(({ place, description }) => `${place}: ${description ?? ''}`);
}

/** Lower-case, in the singular; a name in CamelCase is several. */
function wordsOf(text: string): readonly string[] {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.toLowerCase().replace(/(?<=..)s$/, ''));
}
