/**
 * The version of the rules. It is raised whenever the same input may give another decision, so that a replay can
 * distinguish a changed rule from a changed record.
 */
export const engineVersion = '1.1.0';

/** The version of the shapes of input and output. */
export const contractVersion = 'v1';
