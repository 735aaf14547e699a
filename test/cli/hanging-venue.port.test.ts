// Venues that take connections and never answer: what hangs is the account, and neither the others, the listener nor the exit.
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { post, RunningHookline } from '../../harness/process/hookline.ts'
import { Vault } from '../../src/credentials/vault.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'

const NAMES = Array.from({ length: 50 }, (_, index) => `live${index}`)
const SECRET = 'S3cretOfNobody0123456789'

/** Where Binance would be. */
async function silence(context: TestContext): Promise<{ readonly sockets: ReadonlySet<Socket> }> {
  const certificate = venueCertificate()
  if ('missing' in certificate) return context.skip(`no hosts of the venues' names: ${certificate.missing}`)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => void server.listen(443, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { sockets }
}

/** @returns fires it */
async function hookOn(directory: string, name: string, account: string, command: string) {
  const { id, secret } = await openHookStore(directory).create({ name, command, account })
  return () => post(`http://127.0.0.1:53219/hook/${id}`, secret)
}

function withAccounts(credentials: object): string {
  const directory = tempDirectory()
  const live = NAMES.map((name) => ({
    name,
    exchange: 'binance',
    kind: 'linear',
    credentials,
    createdAt: 1,
    updatedAt: 1,
  }))
  const accounts = [{ name: 'paper', exchange: 'paper', createdAt: 1, updatedAt: 1 }, ...live]
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  return directory
}

const KEYS_IN_ENVIRONMENT = Object.fromEntries(
  NAMES.flatMap((name) => [
    [`HOOKLINE_${name.toUpperCase()}_API_KEY`, 'K3yOfNobody0123456789'],
    [`HOOKLINE_${name.toUpperCase()}_SECRET`, SECRET],
  ]),
)

describe('fifty accounts on a venue that never answers', () => {
  it('hold up no other account, no fire and not the exit', async (context) => {
    const { sockets } = await silence(context)
    const directory = withAccounts({ from: 'environment' })
    const firePaper = await hookOn(directory, 'here', 'paper', 'balance; echo alive')
    const fires = []
    for (const [index, name] of NAMES.entries()) fires.push(await hookOn(directory, `far${index}`, name, 'balance'))
    const hookline = await RunningHookline.listening(directory, { env: KEYS_IN_ENVIRONMENT })
    for (const fire of fires) expect((await fire()).status).toBe(200)
    await expect.poll(() => sockets.size).toBeGreaterThan(10)
    const firedAt = performance.now()
    expect((await firePaper()).status).toBe(200)
    await hookline.prints('[hook:here] alive')
    expect(performance.now() - firedAt).toBeLessThan(2_000)
    const stoppedAt = performance.now()
    hookline.signal('SIGTERM')
    await hookline.ended()
    expect(performance.now() - stoppedAt).toBeLessThan(30_000)
    expect(hookline.stdout + hookline.stderr).not.toContain(SECRET)
  })
})

describe('a hundred fires on accounts of a locked vault', () => {
  it('are refused in words at once, and cost no passphrase', async () => {
    const directory = withAccounts({ from: 'vault' })
    const file = openVaultFile(directory)
    await new Vault({ file, now: Date.now, passphrase: () => undefined }).create('four words of nobody')
    const fire = await hookOn(directory, 'far', 'live0', 'balance')
    const firePaper = await hookOn(directory, 'here', 'paper', 'balance; echo alive')
    const hookline = await RunningHookline.listening(directory)
    const firedAt = performance.now()
    for (let fires = 0; fires < 100; fires += 1) expect((await fire()).status).toBe(200)
    expect((await firePaper()).status).toBe(200)
    await hookline.prints('[hook:here] alive')
    expect(performance.now() - firedAt).toBeLessThan(10_000)
    await hookline.prints('[hook:far] ')
    expect(hookline.stdout).toMatch(/\[hook:far\] [^\n]*the vault is locked/)
  })
})
