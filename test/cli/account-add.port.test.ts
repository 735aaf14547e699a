// `account add` as a new user does it, on a stand-in of Binance under Binance's own names: what is asked, what the venue is asked, what is refused
// and why, and where keys are to be seen afterwards.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { enterLines, isPrompt, openTerminal, run } from '../../harness/process/hookline.ts'
import { KEYS, stageBinance } from '../../harness/venues/binance/staged.ts'
import { findLeaks } from '../../harness/venues/leaks.ts'

const PASSPHRASE = 'correct horse battery'
const SECRETS = { key: KEYS.key, secret: KEYS.secret, passphrase: PASSPHRASE }
/** The last two take the limits that are offered. */
const DIALOG = [PASSPHRASE, PASSPHRASE, KEYS.key, KEYS.secret, '', '']

/** What trusts the stand-in's certificate. */
function trusting(): Readonly<Record<string, string>> {
  const certificate = venueCertificate()
  return 'missing' in certificate ? {} : certificate.env
}

type Staging = Parameters<typeof stageBinance>[1]

async function add(context: TestContext, staging: Staging, answers: readonly string[] = DIALOG) {
  const venue = await stageBinance(context, staging)
  const directory = tempDirectory()
  const input = `${answers.join('\n')}\n`
  const ended = await run(directory, ['exec', 'account add main binance linear'], { input, env: trusting() })
  return { ...ended, venue, directory }
}

describe('account add on a stand-in of Binance', () => {
  it('asks in a terminal without echo, checks, keeps, and trades; keys are seen nowhere', async (context) => {
    const venue = await stageBinance(context)
    const directory = tempDirectory()
    const terminal = await openTerminal(directory, {
      env: { ...environmentOf(directory), ...trusting() },
      columns: 120,
    })
    await terminal.type('account add main binance linear')
    terminal.send('\r')
    const questions = [
      'new passphrase of the vault:',
      'the same again:',
      'API key (binance):',
      'secret (binance):',
      'largest order',
      'orders of one UTC day',
    ]
    for (const [at, question] of questions.entries()) {
      await terminal.until((screen) => screen.typed().startsWith(question))
      terminal.send(`${DIALOG[at]}\r`)
    }
    await terminal.shows('added account main on binance linear; `account use main` trades on it')
    await terminal.until((screen) => isPrompt(screen.typed()))
    const lines = [
      ['account use main', 'trading on main'],
      ['guards', 'main '],
      ['account check', 'account main is ready to trade'],
      ['account balances', 'all practice'],
      ['account', '*  main'],
      ['vault lock', '1 account disconnected'],
      ['balance', 'the vault is locked (type `vault unlock` at the prompt'],
    ] as const
    for (const [line, shows] of lines) {
      await enterLines(terminal, [line])
      await terminal.shows(shows)
    }
    const screen = terminal.lines().join('\n')
    expect(screen).toContain('checked: may trade; may not withdraw; one-way mode')
    expect(screen).toMatch(/account main is ready to trade/)
    expect(screen).toMatch(/all real +USDT +\$10,000\.00/)
    expect(screen).toMatch(/\* +main +binance linear +vault/)
    terminal.send('exit\r')
    await terminal.exit()
    expect(findLeaks(SECRETS, directory, { terminal: terminal.raw })).toEqual([])
    expect(venue.unexpected).toEqual([])
  })

  it.for<[string, Staging, readonly string[], RegExp]>([
    [
      'of nobody',
      {},
      [...DIALOG.slice(0, 2), 'K3yThatNobodyHas0123456789', KEYS.secret],
      /nothing was stored: Binance: Invalid API-key, IP, or permissions for action\. \(check the key; /,
    ],
    [
      'with a wrong secret',
      {},
      [...DIALOG.slice(0, 3), 'not the secret'],
      /nothing was stored: Binance: Signature for this request is not valid\. \(copy key and secret again; /,
    ],
    [
      'that may withdraw',
      { account: { mayWithdraw: true } },
      DIALOG,
      /these keys may withdraw money from binance \(make keys that may only read and trade, and delete these\)/,
    ],
    ['that may not trade', { account: { mayTrade: false } }, DIALOG, /these keys may not trade on binance/],
    ['of an account in hedge mode', { account: { isHedged: true } }, DIALOG, /hedge mode/],
  ])('refuses keys %s with the reason, and keeps nothing', async ([_what, staging, answers, says], context) => {
    const { directory, stderr, stdout, code } = await add(context, staging, answers)
    expect(stderr).toMatch(says)
    expect(code).toBe(1)
    expect(readdirSync(directory)).not.toContain('vault.json')
    expect(readFileSync(join(directory, 'accounts.json'), 'utf8')).not.toContain('main')
    expect(findLeaks(SECRETS, directory, { stdout, stderr })).toEqual([])
  })

  it('works with a clock that is an hour off, which `account check` says', async (context) => {
    const venue = await stageBinance(context)
    venue.clockOffsetMs = 3_600_000
    const directory = tempDirectory()
    const added = await run(directory, ['exec', 'account add main binance linear'], {
      input: `${DIALOG.join('\n')}\n`,
      env: trusting(),
    })
    expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('added account main')])
    const check = await run(directory, ['exec', 'vault unlock; account check main'], {
      input: `${PASSPHRASE}\n`,
      env: trusting(),
    })
    expect(check.stdout).toMatch(/clock {4}the venue's is 3,?[56]\d\d,?\d{3} ms ahead of this machine's/)
    expect(check.stderr).toContain('the clocks differ by more than 1 s: set the clock of this machine')
  })

  it.for([
    ['hang', /binance did not answer in 30 s|gave no answer/],
    ['html', /nothing was stored: Binance gave no answer that can be read/],
    ['cut-json', /nothing was stored: Binance gave no answer that can be read/],
    ['reset', /nothing was stored: Binance /],
    ['redirect', /nothing was stored: Binance /],
    ['rate-limited', /nothing was stored: Binance/],
  ] as const)('keeps nothing where the venue answers with %s, and shows no key', async ([kind, says], context) => {
    const venue = await stageBinance(context)
    venue.fail({ kind, route: '*', times: 1_000 })
    const directory = tempDirectory()
    const ended = await run(directory, ['exec', 'account add main binance linear'], {
      input: `${DIALOG.join('\n')}\n`,
      env: trusting(),
    })
    expect(ended.stderr).toMatch(says)
    expect(ended.code).toBe(1)
    expect(readdirSync(directory)).not.toContain('vault.json')
    expect(findLeaks(SECRETS, directory, { stdout: ended.stdout, stderr: ended.stderr })).toEqual([])
  })
})
