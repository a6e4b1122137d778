import fc from '../../node_modules/fast-check/lib/fast-check.js';

/** Properties are looked at in the same cases again where this says which; a run that fails prints its own. */
const seed = process.env['PROPERTIES_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export default fc;
