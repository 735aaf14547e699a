// Faults of trust once given: taken back in the middle of work, and kept over a restart.
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, enterLines, LISTENING, openTerminal, RunningHookline } from '../../harness/process/hookline.ts'
import { handshake, WsClient } from '../../harness/wire/ws-client.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'
import { fire } from './fire-hook.ts'
import { readJournal } from './journal-lines.ts'
import { doorOpens, requestInBytes } from './request-in-bytes.ts'
import { scenario } from './scenario.ts'
import { openPage, trustPages } from './trusted-page.ts'

const CHAINS = 20
/** The order of a chain comes so long after its first step. */
const ORDER_AFTER_MS = 3_000
const GRACE_MS = 1_000

/** The runs of lines that begin with `echo <word>;`: how many, and when the last one ended; undefined: some go on. */
function endOf(directory: string, word: string): { readonly count: number; readonly at: number } | undefined {
  const { lines } = readJournal(directory)
  const started = lines.filter(({ t, command }) => t === 'start' && command?.startsWith(`echo ${word};`))
  const ends = started.map(({ runId }) => lines.find((line) => line.t === 'done' && line.runId === runId)?.at)
  if (ends.length === 0 || ends.includes(undefined)) return undefined
  return { count: ends.length, at: Math.max(...(ends as number[])) }
}

/** A page that has many chains under way, none of which has traded yet. */
async function busyPage(clientId: string, word: string, chains: number): Promise<WsClient> {
  const page = await openPage({ clientId })
  const command = `echo ${word}; sleep ${ORDER_AFTER_MS}ms; buy 0.001 BTCUSDT`
  for (let chain = 0; chain < chains; chain++) page.send({ t: 'cmd:exec', id: `${chain}`, command })
  for (let chain = 0; chain < chains; chain++) await page.nextFrame('cmd:output')
  return page
}

/** How a busy page and its chains end, in ms after the revocation. */
async function revokedWhileBusy(directory: string, clientId: string, word: string, revoke: () => void) {
  const page = await busyPage(clientId, word, CHAINS)
  const at = Date.now()
  revoke()
  const { code } = await page.closed()
  const closedMs = Date.now() - at
  const end = await vi.waitUntil(() => endOf(directory, word), { timeout: 2 * ORDER_AFTER_MS })
  const chainsMs = end.at - at
  return {
    told: `${word}: ${code} ${closedMs} / ${chainsMs} ms`,
    holds: code === 4409 && closedMs < GRACE_MS && end.count === CHAINS && chainsMs < GRACE_MS,
  }
}

/** As an editor does that takes the row of a client away. */
function editAway(file: string, clientId: string): void {
  const { clients } = JSON.parse(readFileSync(file, 'utf8')) as { clients: { clientId: string }[] }
  writeFileSync(file, JSON.stringify({ clients: clients.filter((row) => row.clientId !== clientId) }))
}

scenario(
  22,
  `clients with ${CHAINS} chains under way are revoked, one at the prompt, one by an edit`,
  'closed 4409 / chains ended in < 1 s, no order placed, a new hello waits for a y',
  async () => {
    const directory = tempDirectory()
    const [typed, edited, bystander] = [randomUUID(), randomUUID(), randomUUID()]
    trustPages(directory, { clientId: typed }, { clientId: edited }, { clientId: bystander })
    const hookline = new RunningHookline(directory)
    await hookline.prints(LISTENING)
    const other = await busyPage(bystander, 'bystander', 1)
    const ends = [
      await revokedWhileBusy(directory, typed, 'typed', () => hookline.say(`clients revoke ${typed.slice(0, 8)}`)),
      await revokedWhileBusy(directory, edited, 'edited', () =>
        editAway(join(directory, 'trusted-clients.json'), edited),
      ),
    ]
    // That the one chain which may go on buys proves that the others would have.
    await other.nextFrame('cmd:done')
    await sleep(ORDER_AFTER_MS)
    const orders = hookline.stdout.split('bought 0.001').length - 1
    const again = await Promise.all([typed, edited].map((clientId) => WsClient.hello({ clientId, label: 'again' })))
    await hookline.prints('approve it? y or n')
    for (const page of again) await page.settled()
    const waiting = again.filter(({ received }) => received.length === 0).length
    return {
      got: `${ends.map(({ told }) => told).join('; ')}; ${orders - 1} orders, ${waiting} of 2 wait`,
      holds: ends.every(({ holds }) => holds) && orders === 1 && waiting === again.length,
    }
  },
)

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** One life of hookline in which a page is approved, and everything else is done that writes files. */
async function approveAPage(directory: string, argv: readonly string[], clientId: string): Promise<void> {
  const terminal = await openTerminal(directory, { argv })
  await enterLines(terminal, ['hook create h "echo fired"', 'buy $300', 'set @a 1', 'alias z "echo z"'])
  await terminal.shows('bought')
  await doorOpens()
  await requestInBytes(handshake({ headers: { Origin: 'https://evil.com' } }))
  await vi.waitUntil(() => existsSync(join(directory, 'hookline.log')), { timeout: 5_000 })
  const page = await WsClient.hello({ clientId, label: 'Console' })
  await terminal.shows('approve it? y or n')
  await sleep(APPROVAL_LIMITS.readMs + 50)
  terminal.send('y\r')
  await page.nextFrame('welcome')
  page.send({ t: 'subscribe', topics: ['hook-output'] })
  await page.settled()
  terminal.send('exit\r')
  await terminal.exit()
}

/** The next life. @returns whether the page is asked about again, and the frames of its old subscription */
async function comeBack(directory: string, argv: readonly string[], clientId: string) {
  const terminal = await openTerminal(directory, { argv })
  const page = await openPage({ clientId })
  const { hooks } = JSON.parse(readFileSync(join(directory, 'hooks.json'), 'utf8'))
  await fire({ url: `http://127.0.0.1:53219/hook/${hooks[0].id}`, token: hooks[0].secret })
  await terminal.shows('[hook:h] fired')
  await page.settled()
  const isAsked = terminal.lines().some((line) => line.includes('asks to run commands'))
  terminal.send('exit\r')
  await terminal.exit()
  return { isAsked, frames: page.received.length - 1 }
}

scenario(
  23,
  'hookline is started again after an approval, under the umasks 000 and 077',
  'the page is let in unasked, its session is not kept, all files are 600 and directories 700',
  async () => {
    const fileModes: string[] = []
    const directoryModes: string[] = []
    const backs: Awaited<ReturnType<typeof comeBack>>[] = []
    for (const umask of ['0', '0o77']) {
      const directory = join(tempDirectory(), 'not-there-yet')
      const argv = ['-e', `process.umask(${umask}); require(process.argv[1])`, BINARY]
      const clientId = randomUUID()
      await approveAPage(directory, argv, clientId)
      backs.push(await comeBack(directory, argv, clientId))
      directoryModes.push(modeOf(directory))
      fileModes.push(...readdirSync(directory).map((name) => modeOf(join(directory, name))))
    }
    const unasked = backs.filter(({ isAsked }) => !isAsked).length
    const frames = backs.reduce((sum, back) => sum + back.frames, 0)
    const closedFiles = fileModes.filter((mode) => mode === '600').length
    const closedDirectories = directoryModes.filter((mode) => mode === '700').length
    const closed = `${closedFiles} of ${fileModes.length} files 600, ${closedDirectories} of 2 directories 700`
    return {
      got: `${unasked} of 2 unasked, ${frames} frames; ${closed}`,
      holds: unasked === 2 && frames === 0 && closedFiles === fileModes.length && closedDirectories === 2,
    }
  },
)
