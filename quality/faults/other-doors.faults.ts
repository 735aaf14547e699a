// Faults at the doors beside the listener's: addresses it must not be reached by, and the web server's own.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { residentKiB } from './load-bench.mjs'
import { type CaseRow, tally } from './row-tally.ts'
import { scenario } from './scenario.ts'

async function connects(host: string): Promise<string> {
  const socket = connect({ host, port: 53219, timeout: 2_000 })
  try {
    await once(socket, 'connect')
    return 'connected'
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  } finally {
    socket.destroy()
  }
}

scenario('bound', "the port is tried on every address of this machine but 127.0.0.1's", 'all refused', async () => {
  await RunningHookline.listening(tempDirectory())
  // A link-local address means something on its own link only (RFC 4007, 6).
  const own = Object.entries(networkInterfaces()).flatMap(([link, each = []]) =>
    each.map(({ address }) => (address.startsWith('fe80:') ? `${address}%${link}` : address)),
  )
  const others = new Set([...own, '127.0.0.2', '127.255.255.254', '::1'].filter((address) => address !== '127.0.0.1'))
  const rows: CaseRow[] = [{ what: '127.0.0.1', wanted: 'connected', got: await connects('127.0.0.1') }]
  for (const host of others) rows.push({ what: host, wanted: 'ECONNREFUSED', got: await connects(host) })
  return tally(rows)
})

const FOREIGN_HOSTS = [
  'evil.example:53220',
  '127.0.0.1',
  '127.0.0.1:53219',
  'localhost.evil.example:53220',
  '[::1]:53220',
]
const FOREIGN_ORIGINS = [
  'https://evil.example',
  'null',
  'http://127.0.0.1:53219',
  'http://localhost:53220.evil.example',
]
const WRITES = ['PATCH /api/settings', 'POST /api/cli/checkin'] as const
const BODY = JSON.stringify({ trustedListenerIds: { 'http://127.0.0.1:53220': 'f'.repeat(32) } })

/** @returns the status, and whether the asking page may read the answer */
async function ask(requestLine: string, lines: readonly string[]): Promise<string> {
  const client = new RawClient(53220)
  const length = requestLine.startsWith('GET')
    ? ''
    : `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`
  client.send(`${requestLine} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}${length}\r\n${length && BODY}`)
  const { status, headers } = await client.answer()
  client.close()
  return `${status}${headers['access-control-allow-origin'] === undefined ? '' : ', readable'}`
}

scenario(
  'web',
  'foreign Hosts and origins read from and write to `hookline web`',
  'all 403, nothing written',
  async () => {
    const directory = tempDirectory()
    await startWeb(directory)
    const rows: CaseRow[] = []
    for (const requestLine of ['GET /', 'GET /api/settings', ...WRITES]) {
      for (const host of FOREIGN_HOSTS) {
        rows.push({ what: `${requestLine} at ${host}`, wanted: '403', got: await ask(requestLine, [`Host: ${host}`]) })
      }
    }
    for (const requestLine of WRITES) {
      for (const origin of FOREIGN_ORIGINS) {
        const got = await ask(requestLine, ['Host: 127.0.0.1:53220', `Origin: ${origin}`])
        rows.push({ what: `${requestLine} from ${origin}`, wanted: '403', got })
      }
    }
    rows.push({ what: 'web-settings.json', wanted: 'untouched', got: settingsIn(directory) })
    return tally(rows)
  },
)

const SENT_MB = 100
const PEAK_MIB = 80

scenario(
  'web',
  `${SENT_MB} MB are sent to \`hookline web\` as the body of one request`,
  `answered 413 before it has come, memory peak < ${PEAK_MIB} MiB more, others are served`,
  async () => {
    const web = await startWeb(tempDirectory())
    const before = residentKiB(web.pid)
    const client = await new RawClient(53220).connected()
    client.send(`PATCH /api/settings HTTP/1.1\r\nHost: 127.0.0.1:53220\r\nContent-Type: application/json\r\n`)
    client.send(`Content-Length: ${SENT_MB * 1_000_000}\r\n\r\n`)
    const { status } = await client.answer()
    const chunk = Buffer.alloc(1_000_000, ' ')
    let peak = before
    for (let sent = 0; sent < SENT_MB && client.socket.writable; sent++) {
      if (!client.socket.write(chunk)) await Promise.race([once(client.socket, 'drain'), client.ended()])
      peak = Math.max(peak, residentKiB(web.pid))
    }
    client.close()
    const other = await ask('GET /', ['Host: 127.0.0.1:53220'])
    const grownMiB = (peak - before) / 1_024
    return {
      got: `${status}, peak ${grownMiB.toFixed(0)} MiB more; another is answered ${other}`,
      holds: status === 413 && grownMiB < PEAK_MIB && other === '200',
    }
  },
)

/** `hookline web`, once it serves. */
async function startWeb(directory: string): Promise<RunningHookline> {
  const web = new RunningHookline(directory, ['web'])
  // The system may have given its port to a connection of those before, and then gives it back within a minute.
  await vi.waitUntil(() => web.stdout.includes('console on'), { timeout: 70_000 })
  return web
}

function settingsIn(directory: string): string {
  try {
    return readFileSync(join(directory, 'web-settings.json'), 'utf8').includes('f'.repeat(32)) ? 'written' : 'untouched'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'untouched'
    throw error
  }
}
