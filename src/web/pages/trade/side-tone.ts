/** The colour of a side; one that is not known here is shown without. */
export const SIDE_TONE: ReadonlyMap<string, string> = new Map([
  ['long', 'gain'],
  ['buy', 'gain'],
  ['short', 'loss'],
  ['sell', 'loss'],
])
