// Faults of identity: who a caller is taken for, by its origin, its Host and its token.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, post, RunningHookline } from '../../harness/process/hookline.ts'
import {
  ALLOWED,
  FOREIGN,
  FOREIGN_HOSTS,
  FORWARDING,
  HONEST,
  type Lines,
  OWN_HOSTS,
} from '../../harness/wire/origin-table.ts'
import { type HandshakeOptions, handshake, WsClient } from '../../harness/wire/ws-client.ts'
import { askEverything, unlikeTokens } from './door-cases.ts'
import { readJournal } from './journal-lines.ts'
import { bareStatus, doorOpens, requestInBytes } from './request-in-bytes.ts'
import { type CaseRow, tally } from './row-tally.ts'
import { scenario } from './scenario.ts'
import { trustPages } from './trusted-page.ts'

const GOOD = { Origin: 'https://good.com' }

/** A config directory whose hookline lets pages of these origins knock. */
function directoryAllowing(allowedOrigins: readonly string[]): string {
  const directory = tempDirectory()
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ listener: { allowedOrigins } }))
  return directory
}

/** `hookline listen`, once it judges who knocks. */
async function listening(directory: string): Promise<RunningHookline> {
  const listener = await RunningHookline.listening(directory)
  await doorOpens()
  return listener
}

const knock = async (options: HandshakeOptions) => bareStatus(await requestInBytes(handshake(options)))

/** As `handshake` takes them; without an Origin unless the lines have one. */
function headersOf(lines: Lines): Record<string, string[]> {
  const headers: Record<string, string[]> = { Origin: [] }
  for (const [name, value] of lines) headers[name] = [...(headers[name] ?? []), value]
  return headers
}

scenario(
  16,
  'origins knock at /ws: exact, forged, misspelt, doubled and missing',
  `≥ 30 rows: the ${HONEST.length} honest ones get 101, the ${FOREIGN.length} foreign ones a bare 403`,
  async () => {
    await listening(directoryAllowing(ALLOWED))
    const rows: CaseRow[] = []
    for (const [what, lines] of HONEST) {
      rows.push({ what, wanted: '101', got: await knock({ headers: headersOf(lines) }) })
    }
    for (const [what, lines] of FOREIGN) {
      rows.push({ what, wanted: '403', got: await knock({ headers: headersOf(lines) }) })
    }
    const finding = tally(rows)
    return { ...finding, holds: finding.holds && rows.length >= 30 }
  },
)

scenario(
  17,
  'hosts knock at /ws: our own, rebound, misspelt, doubled and missing',
  `the ${OWN_HOSTS.length} spellings of our own get 101, any other a bare 403, none or two a 400`,
  async () => {
    await listening(directoryAllowing(ALLOWED))
    const hostRow = async (what: string, wanted: string, Host: string | string[] | undefined): Promise<CaseRow> => ({
      what,
      wanted,
      got: await knock({ headers: { ...GOOD, Host } }),
    })
    const rows: CaseRow[] = []
    for (const host of OWN_HOSTS) rows.push(await hostRow(host, '101', host))
    for (const host of FOREIGN_HOSTS) rows.push(await hostRow(host, '403', host))
    rows.push(await hostRow('no Host', '400', undefined))
    rows.push(await hostRow('our Host twice', '400', [OWN_HOSTS[0], OWN_HOSTS[0]]))
    return tally(rows)
  },
)

scenario(
  18,
  'each route is asked by each method with no Origin, a bad one, a bad Host',
  'as the table of endpoints says: no socket, no foreign page reads, only the token fires',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo fired')
    await listening(directory)
    const rows = await askEverything(hook)
    const readable = rows.filter(({ isReadable }) => isReadable).length
    const fires = rows.filter(({ isFire }) => isFire).length
    const runs = readJournal(directory).lines.filter(({ t }) => t === 'start').length
    const finding = tally(rows, `${readable} readable, ${runs} runs for ${fires} rightful fires`)
    return { ...finding, holds: finding.holds && readable === 0 && runs === fires }
  },
)

scenario(
  19,
  'a page knocks with the right Origin and token, through a proxy that says so',
  `each of ${FORWARDING.length} forwarding headers gets a bare 403, the same knock without it 101`,
  async () => {
    const directory = directoryAllowing(ALLOWED)
    const hook = await createHook(directory, 'h', 'echo ok')
    await listening(directory)
    const direct = { ...GOOD, 'X-Hook-Token': hook.token }
    const rows: CaseRow[] = [{ what: 'none', wanted: '101', got: await knock({ headers: direct }) }]
    for (const name of FORWARDING) {
      rows.push({ what: name, wanted: '403', got: await knock({ headers: { ...direct, [name]: '127.0.0.1' } }) })
    }
    return tally(rows)
  },
)

/** How hookline receives a hello. */
async function receptionOf(clientId: string, origin: string, extra: object = {}): Promise<string> {
  const page = await WsClient.open(origin)
  page.send({ ...extra, t: 'hello', clientId })
  const first = await page.nextFrame()
  return first.t === 'rejected' ? `rejected ${(await page.closed()).code}` : first.t
}

scenario(
  20,
  "a hook's token is used for a session, and what a session is known by for a fire",
  'each mistaken one is refused, the same words in their own place are taken',
  async () => {
    // One origin per question: after a denial, an origin is not heard for a while.
    const origins = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.test`) as [string, ...string[]]
    const [own, ...others] = origins
    const directory = directoryAllowing(origins)
    const clientId = randomUUID()
    trustPages(directory, { clientId, origin: own })
    const hook = await createHook(directory, 'h', 'echo ok')
    const other = await createHook(directory, 'other', 'echo ok')
    await listening(directory)
    const { listenerId } = JSON.parse(readFileSync(join(directory, 'listener.json'), 'utf8'))
    const rows: CaseRow[] = []
    const add = async (what: string, wanted: string, got: Promise<string>) =>
      void rows.push({ what, wanted, got: await got })

    const inPlaceOfTrust: readonly (readonly [what: string, clientId: string, extra?: object])[] = [
      ['a token as clientId', hook.token],
      ['a token beside an unknown clientId', randomUUID(), { token: hook.token, secret: hook.token }],
      ['the listenerId as clientId', listenerId],
      ['a trusted clientId on another origin', clientId],
    ]
    for (const [index, [what, id, extra]] of inPlaceOfTrust.entries()) {
      await add(what, 'rejected 4001', receptionOf(id, others[index] as string, extra))
    }
    const foreign = { Origin: 'https://evil.com' }
    const atTheDoor: readonly HandshakeOptions[] = [
      { headers: { ...foreign, 'X-Hook-Token': hook.token } },
      { headers: { ...foreign, Authorization: `Bearer ${hook.token}` } },
      { headers: { ...foreign, Cookie: `token=${hook.token}` } },
      { headers: { Origin: undefined, 'X-Hook-Token': hook.token } },
      { requestLine: `GET /ws?token=${hook.token} HTTP/1.1`, headers: foreign },
    ]
    for (const options of atTheDoor) await add(JSON.stringify(options), '403', knock(options))

    const fired = async (token: string, url = hook.url) => String((await post(url, token)).status)
    const bare = (uuid: string) => uuid.replaceAll('-', '')
    for (const token of [clientId, bare(clientId), bare(listenerId), hook.id, other.token]) {
      await add(`fired with ${token}`, '401', fired(token))
    }
    await add('a token in the path', '401', fired('', `${hook.url}?token=${hook.token}`))

    await add('the token at its hook', '200', fired(hook.token))
    await add('the clientId on its origin', 'welcome', receptionOf(clientId, own))
    return tally(rows)
  },
)

scenario(
  21,
  'tokens of any length and bytes are compared',
  '401 to each and no throw: the same process takes the right one afterwards',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    const listener = await listening(directory)
    const rows: CaseRow[] = []
    for (const [what, ...values] of unlikeTokens(hook)) {
      const tokens = values.map((value) => `X-Hook-Token: ${value}\r\n`).join('')
      const head = `POST /hook/${hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nConnection: close\r\n`
      const { status } = await requestInBytes(`${head}${tokens}\r\n`)
      rows.push({ what, wanted: '401', got: String(status) })
    }
    rows.push({ what: 'the right one', wanted: '200', got: String((await post(hook.url, hook.token)).status) })
    const complaints = listener.stderr.split('\n').length - 1
    const finding = tally(rows, `${complaints} lines of complaint`)
    return { ...finding, holds: finding.holds && complaints === 0 && listener.child.exitCode === null }
  },
)
