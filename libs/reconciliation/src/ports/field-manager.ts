/** The field manager of Plimsoll's own writes. */
export const plimsollManager = 'plimsoll';
