// Many entries at once while the venue says to wait: the built program on the stand-in of Binance. What is bought has its stop soon, whatever
// questions have to wait.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { createHook, post } from '../../../harness/process/hookline.ts'
import { startRepl } from '../../../harness/process/piped-repl.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'

const FIRES = 50
/** A ban lasts 7 s, and the questions behind it much longer. */
const SOON_MS = 6_000

it('of fifty fires that meet a ban, what was bought has its stops within seconds, and nothing is sent twice', async (context) => {
  const venue = await stageBinance(context, { account: { wallet: '100000' } })
  const certificate = venueCertificate()
  const directory = tempDirectory()
  const row = { name: 'main', exchange: 'binance', kind: 'linear', apiKey: KEYS.key, secret: KEYS.secret }
  const accounts = [{ ...row, createdAt: 1, updatedAt: 1 }]
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  const repl = await startRepl(directory, 'missing' in certificate ? {} : certificate.env)
  const hook = await createHook(directory, 'dip', 'buy 20.0 ADAUSDT stop -3%', '--account', 'main', '--parallel', '50')
  venue.fail({ kind: 'banned', route: 'POST /fapi/v1/order', after: 3, times: 3 })
  const answers = await Promise.all(Array.from({ length: FIRES }, () => post(hook.url, hook.token)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: FIRES }, () => 200))
  const sent = () => venue.asked('POST /fapi/v1/order').map(({ params }) => params.newClientOrderId)
  const covered = () =>
    venue
      .account()
      .openAlgos()
      .reduce((sum, { amount }) => sum + amount.toNumber(), 0)
  const held = () => venue.account().held('ADAUSDT').amount.toNumber()
  await expect.poll(held, { timeout: 30_000 }).toBeGreaterThan(0)
  const bought = held()
  await expect.poll(covered, { timeout: SOON_MS }).toBeGreaterThanOrEqual(bought)
  expect(new Set(sent()).size).toBe(sent().length)
  repl.signal('SIGKILL')
  await repl.ended()
}, 90_000)
