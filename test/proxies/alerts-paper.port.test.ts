// docs/alerts.md, typed as it stands: from a hook to an order on paper, through the real nginx. Only the certificate is the test's own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, inject, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { makeAuthority } from '../../harness/network/own-authority.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY, RunningHookline } from '../../harness/process/hookline.ts'
import { RunningProxy } from '../../harness/process/running-proxy.ts'

const PAPER = readFileSync(resolve(import.meta.dirname, '../../docs/alerts.md'), 'utf8')
const DOMAIN = 'alerts.example.com'
const CERTIFICATES = `/etc/letsencrypt/live/${DOMAIN}`

function blocks(language: string): string[] {
  return [...PAPER.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, lines = '']) =>
    lines.trim(),
  )
}

/** A shell of the reader's, in a folder of their own. */
function openShell(certificates: { readonly folder: string; readonly ca: string }) {
  const folder = tempDirectory()
  const state = tempDirectory()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'hookline'), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`)
  chmodSync(join(bin, 'hookline'), 0o755)
  const own = environmentOf(state)
  const env = { ...own, PATH: `${bin}:${own.PATH}`, CURL_CA_BUNDLE: certificates.ca }
  const type = async (line: string): Promise<string> => {
    const child = spawn('sh', ['-c', line.replaceAll(CERTIFICATES, certificates.folder)], { cwd: folder, env })
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }
  return { type, state, folder }
}

it('leads from a hook to an order on paper, and a resend orders nothing', async ({ skip }) => {
  const nginx = inject('proxies').nginx
  if ('missing' in nginx) return skip(nginx.missing)
  const directory = tempDirectory()
  const { server, ca } = makeAuthority(directory, DOMAIN)
  const folder = join(directory, 'live')
  mkdirSync(folder)
  writeFileSync(join(folder, 'fullchain.pem'), readFileSync(server.cert))
  writeFileSync(join(folder, 'privkey.pem'), readFileSync(server.key))
  const { type, state, folder: home } = openShell({ folder, ca })
  const [create = '', preview = '', proxy = '', curl = '', look = '', limit = '', keyed = '', tunnel = ''] =
    blocks('sh')
  const [message = ''] = blocks('json')

  expect(await type(create)).toContain(`\n${message}\n`)
  expect(await type(preview)).toContain('nothing was sent')
  const listener = await RunningHookline.listening(state)
  // As step 5 says.
  await type(`${proxy} --senders tradingview,127.0.0.1`)
  const settings = readFileSync(join(home, 'alerts.conf'), 'utf8')
  const place = join(directory, 'nginx')
  mkdirSync(place)
  const running = await RunningProxy.start('nginx', nginx, { text: settings, directory: place, port: 443 })
  onTestFinished(() => running.stop())

  expect(JSON.parse(await type(curl))).toMatchObject({ ok: true, account: 'paper' })
  await listener.prints('bought')
  const positions = await type(look)
  expect(positions).toContain('BTCUSDT')
  expect(JSON.parse(await type(curl))).toMatchObject({ ok: true })
  await listener.prints('already')

  // What TradingView makes of the message when its strategy is flat.
  const flat = message.replace('{{strategy.market_position}}', 'flat').replace('{{ticker}}', 'BTCUSDT')
  await type(curl.replace(/'\{.*?\}'/, `'${flat}'`))
  await listener.prints('sold')
  expect(listener.stdout.match(/\bbought\b/g)).toHaveLength(1)

  await type(limit)
  expect(JSON.parse(await type(curl))).toMatchObject({ ok: true })
  await listener.prints('skipped 1 fire: cooldown')
  expect(listener.stdout.match(/\bbought\b/g)).toHaveLength(1)

  expect(await type(keyed)).toContain('id={{ticker}}-{{timenow}} at={{timenow}}')

  expect(await type(tunnel)).toContain('wrote ')
  expect(readFileSync(join(home, 'Caddyfile'), 'utf8')).toContain('http://home.tail1234.ts.net:53280 {')
})
