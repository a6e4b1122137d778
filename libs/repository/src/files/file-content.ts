/** What a file holds: its bytes, or that it is too large to be read. */
export type FileContent =
  | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'TooLarge';
      /** Whether its bytes hold the name of one of our kinds; undefined where nobody could look. */
      readonly holdsKindName?: boolean;
    };
