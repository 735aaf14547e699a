// `account add`: what is asked, in which order, what the venue is asked with it, and what is kept.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { AccountRow } from '../../src/stores/accounts.ts'
import { countedLimits, holders, KEY, lookupOf, PASSPHRASE, SECRET, staged } from './adding-accounts.ts'

describe('account add with keys', () => {
  it('asks for the passphrase of a new vault twice, then the keys, checks them and keeps them encrypted', async () => {
    const { session, asked, tried } = await staged([PASSPHRASE, PASSPHRASE, ` ${KEY} `, SECRET])
    expect(await session.run('account add main binance linear')).toEqual([
      'info keys are kept in an encrypted vault; its passphrase is needed to read or reset it',
      'info asking binance what these keys may do',
      'info checked: may trade; may not withdraw; one-way mode',
      'info its keys are in the vault',
      'success added account main on binance linear; `account use main` trades on it',
    ])
    expect(asked).toEqual([
      'new passphrase of the vault: ',
      'the same again: ',
      'API key (binance): ',
      'secret (binance): ',
    ])
    expect(tried).toEqual([
      {
        row: expect.objectContaining({ exchange: 'binance', kind: 'linear' }),
        keys: { apiKey: KEY, secret: SECRET },
        closed: true,
      },
    ])
    const row = session.ports.accounts.find('main') as AccountRow
    expect(row).toMatchObject({ exchange: 'binance', kind: 'linear', credentials: { from: 'vault' } })
    expect(await session.ports.credentials.resolveKeys(row)).toEqual({ apiKey: KEY, secret: SECRET })
    expect(holders(session)).toEqual([])
  })

  it('asks for what the venue wants, in its order', async () => {
    const { session, asked } = await staged(['k', 's', 'p', 'a'.repeat(64), `0x${'b'.repeat(40)}`])
    await session.ports.credentials.vault.create(PASSPHRASE)
    await session.run('account add one okx; account add two hyperliquid')
    expect(asked).toEqual([
      'API key (okx): ',
      'secret (okx): ',
      'passphrase (okx): ',
      "private key of an API wallet, not the account's own (hyperliquid): ",
      "the account's address (hyperliquid): ",
    ])
  })

  it.each([
    ['the address for the key', [`0x${'b'.repeat(40)}`], 'the private key of an API wallet has 64 hexadecimal digits'],
    [
      'the key for the address',
      ['a'.repeat(64), 'a'.repeat(64)],
      "the account's address has 0x and 40 hexadecimal digits",
    ],
  ])('asks Hyperliquid nothing where it is given %s, and shows neither', async (_what, answers, fact) => {
    const { session, tried } = await staged(answers)
    await session.ports.credentials.vault.create(PASSPHRASE)
    const lines = await session.run('account add main hyperliquid')
    expect(lines).toEqual([
      `error bad-keys: ${fact}, and what was given has not; nothing was stored | copy it from Hyperliquid again`,
    ])
    expect(tried).toEqual([])
  })

  it('says of an unproven venue how to begin', async () => {
    const { session } = await staged([KEY, SECRET, KEY, SECRET])
    await session.ports.credentials.vault.create(PASSPHRASE)
    const lines = await session.run('account add one bingx; account add two binance')
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn BingX is unproven: begin with its smallest order, and compare what the venue shows',
    ])
  })

  it('asks for the passphrase of a locked vault, and for the keys while it is opened', async () => {
    const { session, asked } = await staged([PASSPHRASE, KEY, SECRET])
    await session.ports.credentials.vault.create(PASSPHRASE)
    session.ports.credentials.vault.lock()
    expect((await session.run('account add main binance')).at(-1)).toMatch(
      /^success added account main on binance spot;/,
    )
    expect(asked).toEqual(['passphrase of the vault: ', 'API key (binance): ', 'secret (binance): '])
  })

  it('asks no venue with keys that it could not keep: a wrong passphrase ends it', async () => {
    const { session, tried } = await staged(['a wrong passphrase', KEY, SECRET])
    await session.ports.credentials.vault.create(PASSPHRASE)
    session.ports.credentials.vault.lock()
    expect(await session.run('account add main binance')).toEqual([
      expect.stringMatching(/^error wrong-passphrase: this passphrase does not open the vault \| /),
    ])
    expect(tried).toEqual([])
    expect(session.ports.accounts.find('main')).toBeUndefined()
  })

  it.each([
    ['an empty answer', ['', SECRET], /^error no-credentials: no key was given; the account was not added$/],
    ['an empty second answer', [KEY, '  '], /^error no-credentials: /],
  ])('is not added for %s, and no venue is asked', async (_what, answers, says) => {
    const { session, tried } = await staged([PASSPHRASE, PASSPHRASE, ...answers])
    expect((await session.run('account add main binance')).at(-1)).toMatch(says)
    expect(tried).toEqual([])
    expect(session.ports.accounts.find('main')).toBeUndefined()
    expect(session.ports.credentials.vault.state()).toBe('absent')
  })

  it('is not added where the two passphrases differ', async () => {
    const { session } = await staged([PASSPHRASE, `${PASSPHRASE}!`])
    expect((await session.run('account add main binance')).at(-1)).toBe(
      'error passphrases-differ: the two passphrases differ; nothing was changed | try again',
    )
    expect(session.ports.credentials.vault.state()).toBe('absent')
  })

  it('asks nothing of a name that is taken, a kind that is not there, or where nobody can answer', async () => {
    const { session, asked } = await staged([])
    for (const [line, says] of [
      ['account add paper binance', /^error already-exists: /],
      [
        'account add main kraken inverse',
        /^error not-supported: hookline trades no inverse markets on kraken \| type spot$/,
      ],
      [
        'account add main kraken --demo',
        /^error not-supported: kraken has no demo accounts \| leave --demo out, or practice on paper$/,
      ],
      ['account add main binance --keys pocket', /^error bad-argument: keys cannot be stored there/],
      [
        'account add main binance --keys vualt',
        /^error bad-argument: keys cannot be stored there \| did you mean vault\?/,
      ],
      [
        'account add main binanc linear',
        /^error not-supported: hookline cannot trade on binanc \| did you mean binance\?$/,
      ],
      [
        'account add main binance lineer',
        /^error bad-argument: `lineer` is not a kind of market \| did you mean linear\?/,
      ],
      [
        'account add main binance linear --dmo',
        /^error bad-argument: `--dmo` is not an option \| did you mean --demo\?/,
      ],
      [
        `account add main binance linear ${KEY}`,
        /^error unexpected-argument: an account has a name, a venue and a kind/,
      ],
      ['account add main paper --demo', /^error not-supported: a paper account has no kind, no demo and no keys/],
      ['account add main paper --keys vault', /^error not-supported: a paper account has no kind/],
    ] as const) {
      expect(await session.run(line)).toEqual([expect.stringMatching(says)])
    }
    expect(asked).toEqual([])
    const headless = await createSession({ lookup: lookupOf() })
    expect((await headless.run('account add main binance')).at(-1)).toMatch(/^error no-terminal: /)
  })

  it('asks for limits once the keys are good, and keeps them once the account is there', async () => {
    const { counts, askLimits } = countedLimits()
    const { session } = await staged([PASSPHRASE, PASSPHRASE, KEY, SECRET], { askLimits })
    await session.run('account add main binance')
    expect(counts).toEqual({ asked: 1, kept: 1 })
  })

  it('is audited without its keys', async () => {
    const { session } = await staged([PASSPHRASE, PASSPHRASE, KEY, SECRET])
    await session.run('account add main binance linear --demo')
    expect(session.ports.audit.read().at(-1)).toMatchObject({
      what: 'account add',
      details: { name: 'main', exchange: 'binance', kind: 'linear', demo: true, keys: 'vault' },
    })
  })
})

describe('a paper account on real prices', () => {
  it('notes whose prices it follows', async () => {
    const { session } = await staged([])
    await session.run('account add practice paper --prices Binance:linear')
    expect(session.ports.accounts.find('practice')).toMatchObject({ exchange: 'paper', prices: 'binance:linear' })
  })

  it.each([
    [
      'account add practice paper --prices binance',
      /^error not-supported: a paper account cannot follow binance \| name a venue and its linear contracts, such as binance:linear$/,
    ],
    [
      'account add practice paper --prices kraken:linear',
      /^error not-supported: a paper account cannot follow kraken:linear/,
    ],
    [
      'account add practice paper --prices binance:spot',
      /^error not-supported: a paper account cannot follow binance:spot/,
    ],
    [
      'account add practice paper --prices paper:linear',
      /^error not-supported: a paper account cannot follow paper:linear/,
    ],
    [
      'account add main binance --prices okx:linear',
      /^error not-supported: an account on binance uses the prices of binance \| leave --prices out$/,
    ],
  ])('refuses `%s`', async (line, says) => {
    const { session } = await staged([])
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
    expect(session.ports.accounts.list()).toHaveLength(1)
  })
})
