// `hookline proxy` as it is typed: where its secrets go, and where not.
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, run } from '../../harness/process/hookline.ts'

const TLS = ['--domain', 'alerts.example', '--cert', '/etc/cert.pem', '--key', '/etc/key.pem']

async function staged() {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'dip', 'buy {size:usd<=500} BTCUSDT')
  const file = join(tempDirectory(), 'alerts.conf')
  const proxy = (...args: string[]) => run(directory, ['proxy', 'nginx', '--hook', 'dip', ...TLS, ...args])
  return { directory, hook, file, proxy }
}

const addressIn = (text: string): string => /https:\/\/alerts\.example\/([\w-]+)$/m.exec(text)?.[1] ?? ''

describe('hookline proxy', () => {
  it('prints the file without a secret', async () => {
    const { hook, proxy } = await staged()
    const { stdout, stderr, code } = await proxy()
    expect(code).toBe(0)
    expect(stdout).toContain(`/hook/${hook.id};`)
    expect(stdout).toContain('52.89.214.238 1;')
    expect(stdout).not.toContain(hook.token)
    expect(stderr).toContain('--write <file>')
  })

  it('writes path and token for nobody else to read, says neither, and notes it in the audit log', async () => {
    const { directory, hook, file, proxy } = await staged()
    const { stdout, stderr, code } = await proxy('--write', file)
    const text = readFileSync(file, 'utf8')
    expect([code, stderr]).toEqual([0, ''])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(text).toContain(`X-Hook-Token ${hook.token};`)
    expect(addressIn(text)).toMatch(/^[\w-]{32}$/)
    for (const secret of [hook.token, addressIn(text)]) expect(stdout).not.toContain(secret)
    const audit = readFileSync(join(directory, 'audit.jsonl'), 'utf8')
    expect(audit).toContain('"to":')
    for (const secret of [hook.token, addressIn(text)]) expect(audit).not.toContain(secret)
  })

  it('written anew keeps the address, and takes a new token', async () => {
    const { directory, hook, file, proxy } = await staged()
    await proxy('--write', file)
    const before = addressIn(readFileSync(file, 'utf8'))
    await run(directory, ['hook', 'rotate', 'dip'])
    await createHook(directory, 'flat', 'close all')
    expect((await proxy('--hook', 'flat', '--write', file)).code).toBe(0)
    const after = readFileSync(file, 'utf8')
    expect(addressIn(after)).toBe(before)
    expect(after).not.toContain(hook.token)
    expect(after.match(/^# alert /gm)).toHaveLength(2)
  })

  it.each([
    [
      'that it did not make',
      (file: string) => writeFileSync(file, 'mine', { mode: 0o600 }),
      'is not a file that hookline made',
    ],
    [
      'that others may read',
      (file: string) => {
        writeFileSync(file, '# Made by', { mode: 0o600 })
        chmodSync(file, 0o644)
      },
      'may be read by other users',
    ],
    ['that is a link', (file: string) => symlinkSync('/etc/hostname', file), 'error: '],
  ])('leaves a file alone %s', async (_which, make, why) => {
    const { file, proxy } = await staged()
    make(file)
    const before = readFileSync(file, 'utf8')
    expect(await proxy('--write', file)).toMatchObject({ code: 1, stderr: expect.stringContaining(why) })
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it.each([
    [['--hook', 'none'], 'none'],
    [['--rate', 'fast'], '`fast` is not a rate (give requests for each minute or second: `10/1m`, `2/1s`)'],
    [['--senders', 'everybody'], '`everybody` is neither an address nor a network'],
    [['--tunnel', '53280'], 'behind a tunnel the proxy sees no certificates'],
    [['--client-ca', 'ca.pem'], '`ca.pem` is not an absolute path (begin it with a /)'],
    [['--path', 'short'], 'that cannot be the secret path'],
  ])('refuses %j, and writes nothing', async (args, why) => {
    const { file, proxy } = await staged()
    const { code, stderr } = await proxy(...args, '--write', file)
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(existsSync(file)).toBe(false)
  })

  it('is nothing that a hook or a page can say: the prompt does not know it', async () => {
    const { directory } = await staged()
    const { code, stdout, stderr } = await run(directory, ['exec', 'proxy nginx --hook dip'])
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('proxy')])
  })
})
