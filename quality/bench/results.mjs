// What the groups came to: one that fails takes no other's rows with it, and a run of a few groups leaves those of the others as they were.

/** @typedef {import('./rounds.mjs').Row} Row */
/** @typedef {import('./growth.mjs').Panel} Panel */
/** @typedef {{ machine: object, quick: boolean, scale: Record<string, object>, rows: (Row & { group?: string })[], growth: (Panel & { group?: string })[], elapsedMs: number }} Results */
/** @typedef {{ scale: object, claims?: () => Promise<Row[]>, growth?: () => Promise<Panel[]> }} Measured */

/**
 * @param {Record<string, Measured>} groups in the order in which they are measured
 * @param {{ begin(name: string, scale: object): void, end(name: string, error?: unknown): void | Promise<void> }} tell the next group begins after `end`
 * @returns {Promise<Pick<Results, 'scale' | 'rows' | 'growth'> & { failed: string[] }>} every row says its group
 */
export async function measureGroups(groups, tell) {
  /** @type {Pick<Results, 'scale' | 'rows' | 'growth'> & { failed: string[] }} */
  const results = { scale: {}, rows: [], growth: [], failed: [] }
  for (const [group, { scale, claims, growth }] of Object.entries(groups)) {
    tell.begin(group, scale)
    results.scale[group] = scale
    try {
      for (const row of (await claims?.()) ?? []) results.rows.push({ ...row, group })
      for (const panel of (await growth?.()) ?? []) results.growth.push({ ...panel, group })
      await tell.end(group)
    } catch (error) {
      results.failed.push(group)
      results.rows.push({ ...failure(group, error), group })
      await tell.end(group, error)
    }
  }
  return results
}

/** @param {string} group @param {unknown} error @returns {Row} */
function failure(group, error) {
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
  return { claim: `the group ${group}`, wanted: 'measured', verdict: 'short', details: '', reason: `failed: ${reason}` }
}

/**
 * Groups that were measured again stand in the place of before; what a file of before does not say the group of is known by its claim or title.
 * @param {Results | undefined} before @param {Results} now @returns {Results}
 */
export function mergeResults(before, now) {
  if (before === undefined) return now
  if (before.quick !== now.quick) throw new Error('quick and full runs do not go into one file')
  const isAnew = (/** @type {{ group?: string }} */ { group }) => group !== undefined && group in now.scale
  const claims = new Set(now.rows.map(({ claim }) => claim))
  const titles = new Set(now.growth.map(({ title }) => title))
  const order = Object.keys({ ...before.scale, ...now.scale })
  const inOrder = (/** @type {{ group?: string }} */ a, /** @type {{ group?: string }} */ b) =>
    a.group === undefined || b.group === undefined ? 0 : order.indexOf(a.group) - order.indexOf(b.group)
  return {
    ...now,
    scale: { ...before.scale, ...now.scale },
    rows: [...before.rows.filter((row) => !isAnew(row) && !claims.has(row.claim)), ...now.rows].sort(inOrder),
    growth: [...before.growth.filter((panel) => !isAnew(panel) && !titles.has(panel.title)), ...now.growth].sort(
      inOrder,
    ),
  }
}
