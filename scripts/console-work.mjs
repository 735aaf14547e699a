// Work to look at: accounts, tasks that run and one that was ended, and an engine in a process of its own that copies. All of it is typed.

/** What is typed at the prompt, each with what it is answered. @type {readonly (readonly [string, RegExp])[]} */
const LINES = [
  ['account add swing paper', /swing/],
  ['account add an-account-name-of-32-characters paper', /an-account-name-of-32-characters/],
  ['twap sell $500 ADAUSDT into 10 over 10m', /twap [0-9a-f]{8}: sells/],
  ['tasks cancel --all', /is canceled/],
  ['chase sell $400 LINKUSDT for 30m then market', /chase [0-9a-f]{8}: sells/],
  ['trail 1% BTCUSDT', /trail [0-9a-f]{8}: keeps/],
  ['cross-trade add --master paper --symbol ETHUSDT --copier swing --weight 0.5 --enabled', /added/],
  ['twap buy $2000 SOLUSDT into 20 over 40s random 20%', /twap [0-9a-f]{8}: buys/],
]
/** What the engine has to copy. */
const COPIED = 'buy $600 ETHUSDT'

/**
 * @param {import('./console-stage.mjs').Stage} stage
 * @param {import('./console-stage.mjs').Hookline} hookline
 * @param {import('playwright-core').Page} page
 * @returns {Promise<() => Promise<void>>} ends the engine
 */
export async function workToSee(stage, hookline, page) {
  for (const [line, answer] of LINES) {
    hookline.type(line)
    await hookline.says(answer)
  }
  const endEngine = await stage.startEngine()
  await page.getByText('engine on').waitFor()
  hookline.type(COPIED)
  await hookline.says(/bought/)
  await page.getByRole('table', { name: 'Copiers' }).getByText('in step').first().waitFor()
  // Until the twap has come some way.
  await page
    .getByRole('row', { name: /^twap SOLUSDT/ })
    .getByText(/^(1[5-9]|[2-9]\d) %$/)
    .waitFor()
  return endEngine
}
