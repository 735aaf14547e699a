// `hookline bug`: secrets are planted in every file, in the environment and in every part of the log; none of them is printed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, exec, run } from '../../harness/process/hookline.ts'
import { createRedaction, describeLogLine } from '../../src/cli/bug-program.ts'

const PLANTED = {
  key: 'abcdefghijklmnopqrstuvwx',
  secret: 'Qm9vSGlkZGVuU2VjcmV0',
  hex: '0123456789abcdef0123456789abcdef',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl',
  passphrase: 'opensesame',
  amount: '12345.67',
  dollars: '$98,765',
  symbol: 'DOGEUSDT',
  url: 'https://hooks.example/secret-path',
  email: 'trader@example.com',
  account: 'yachtfund',
  hook: 'moonshot',
  label: 'my quiet laptop',
}
const ALL = Object.values(PLANTED).join(' ')

const logLine = (level: number, text: string) =>
  JSON.stringify({
    level,
    time: 1_760_000_000_000,
    pid: 1,
    msg: `cannot write orders.jsonl: the disk is full ${text}`,
    account: text,
    [text]: text,
    err: {
      type: 'TypeError',
      message: `cannot read properties of undefined ${text}`,
      code: 'ENOSPC',
      stack: `TypeError: ${text}\n    at placeOrder (/home/trader/lib/main.cjs:12:34)\n    at ${text} (/x/${text}.cjs:1:2)\n    at node:internal/timers:588:17`,
      token: text,
      cause: { message: text },
    },
  })

async function plantedDirectory(): Promise<string> {
  const directory = tempDirectory()
  await exec(directory, `alias save ${PLANTED.hook} 'buy ${PLANTED.amount} ${PLANTED.symbol}'`).catch(() => {})
  await createHook(directory, PLANTED.hook, `echo ${PLANTED.passphrase}`)
  writeFileSync(
    join(directory, 'accounts.json'),
    JSON.stringify({
      accounts: [
        { id: 'x', name: PLANTED.account, exchange: 'binance', apiKey: PLANTED.key, secret: PLANTED.secret },
        JSON.parse(readFileSync(join(directory, 'accounts.json'), 'utf8')).accounts[0],
      ],
    }),
  )
  // Not JSON: every file of the directory may be broken.
  writeFileSync(join(directory, 'vars.json'), `{"x": "${PLANTED.label}", "y": "${PLANTED.passphrase}",`)
  writeFileSync(join(directory, 'web-settings.json'), JSON.stringify({ label: PLANTED.label, x: PLANTED.passphrase }))
  writeFileSync(
    join(directory, 'hookline.log'),
    `${logLine(50, ALL)}\n${logLine(30, ALL)}\n${logLine(40, ALL)}\nnot JSON ${ALL}\n`,
  )
  mkdirSync(join(directory, 'sign-in-tokens'))
  return directory
}

describe('a bug report', () => {
  it('has version, doctor and last errors, and no secret, amount or name of the operator', async () => {
    const directory = await plantedDirectory()
    const hooks = JSON.parse(readFileSync(join(directory, 'hooks.json'), 'utf8')).hooks
    const before = readdirSync(directory).sort()
    const env = {
      HOOKLINE_YACHTFUND_API_KEY: PLANTED.key,
      HOOKLINE_YACHTFUND_SECRET: PLANTED.secret,
      HOOKLINE_X: 'shibboleth',
    }
    const { stdout, stderr, code } = await run(directory, ['bug'], { env })
    expect([stderr, code]).toEqual(['', 0])

    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(stdout).toContain(`\nhookline ${version}, commit `)
    expect(stdout).toContain(`Node ${process.versions.node}, ${process.platform}-${process.arch}\n`)
    expect(stdout).toMatch(/\n {2}ok {5}node: Node #\n/)
    expect(stdout).toMatch(/\n {2}warn {3}files: vars\.json, line #/)
    expect(stdout.match(/ error cannot write orders\.jsonl: the disk is full #\n/g)).toHaveLength(1)
    expect(stdout.match(/ warn cannot write orders\.jsonl: the disk is full #\n/g)).toHaveLength(1)
    expect(stdout).toContain('    TypeError: ENOSPC: cannot read properties of undefined #\n')
    expect(stdout).toContain('    at placeOrder main.cjs:12:34\n    at node:internal/timers:588:17\n')

    const secrets = [
      ...Object.values(PLANTED),
      hooks[0].id,
      hooks[0].secret,
      'shibboleth',
      directory,
      'quiet',
      'sesame',
    ]
    for (const secret of secrets) expect(stdout.toLowerCase()).not.toContain(`${secret}`.toLowerCase())
    // Nothing was changed.
    expect(readdirSync(directory).sort()).toEqual(before)
  })

  it('is printed where the state directory cannot be used', async () => {
    const file = join(tempDirectory(), 'file')
    writeFileSync(file, '')
    const { stdout, code } = await run(file, ['bug'])
    expect(stdout).toMatch(/\n {2}fails {2}directory: # cannot be used: /)
    expect(code).toBe(0)
  })
})

describe('a redaction', () => {
  const redact = createRedaction(new Set(['yachtfund', 'my quiet laptop']))

  it.each([
    ['the order of yachtfund was refused', 'the order of # was refused'],
    ['my quiet laptop is welcome', '# is welcome'],
    ['0.5 BTCUSDT at 64,000.5', '# at #'],
    ['hook `dip` has "a value" and \'another\'', 'hook # has # and #'],
    ["the venue's order-id isn't known", "the venue's order-id isn't known"],
    ['EACCES: HTTP 429 from https://x.example/y?z', 'EACCES: HTTP # from #'],
    ['/home/me/.hookline/config.json, line 3', 'config.json, line #'],
    ['config.json: paper-main.json', 'config.json: #'],
    ['abcdefghijklmnopqrstuvwxyz', '#'],
    ['aB cD Ef', '# Ef'],
  ])('of %s is %s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })
})

it('a line of the log below a warning, or of another shape, is not an entry', () => {
  const redact = createRedaction(new Set())
  for (const line of ['{"level":30,"msg":"x"}', '[]', 'null', '{}', 'x'])
    expect(describeLogLine(line, redact)).toBeUndefined()
  expect(describeLogLine('{"level":50,"time":1e300,"msg":3,"err":7}', redact)).toEqual([
    '  1970-01-01T00:00:00.000Z error',
  ])
})
