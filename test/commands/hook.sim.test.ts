import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

async function withHook(line = 'hook create dip "buy $250 BTCUSDT stop -2%"'): Promise<CommandSession> {
  const session = await createSession()
  await session.run(line)
  return session
}

function onlyHook(session: CommandSession) {
  const [hook, ...more] = session.ports.hooks.list()
  if (hook === undefined || more.length > 0) throw new Error('expected one hook')
  return hook
}

describe('a hook whose command names no symbol', () => {
  it.each(['hook create dip "buy $250 stop -2%"', 'hook create dip "cancel; close"'])(
    'says at %s and when it is shown which it takes',
    async (line) => {
      const session = await withHook(line)
      const row = 'print symbol   the one in focus when it fires, BTCUSDT now'
      expect(await session.run('hook show dip')).toContain(row)
    },
  )

  it('says it when it is created; one that names its symbol does not', async () => {
    const session = await createSession()
    expect((await session.run('hook create a "close"')).join('\n')).toMatch(
      /^print symbol +the one in focus when it fires/m,
    )
    expect((await session.run('hook create b "close BTCUSDT"')).join('\n')).not.toContain('symbol  ')
    expect((await session.run('hook create c "nuke --yes"')).join('\n')).not.toContain('symbol  ')
  })
})

describe('hook create', () => {
  it('prints the address, the token and a curl line ready to paste', async () => {
    const session = await createSession()
    const lines = await session.run('hook create dip "buy $250 BTCUSDT stop -2%"')
    const { id, secret, name, command, account } = onlyHook(session)
    expect({ name, command, account }).toEqual({
      name: 'dip',
      command: 'buy $250 BTCUSDT stop -2%',
      account: undefined,
    })
    expect(lines).toEqual([
      'success created hook dip',
      'info a fire now would buy 0.003 BTC on BTCUSDT, worth $195.00 (rounding down to the lot cuts 22.0%)',
      `print url      http://127.0.0.1:53219/hook/${id}`,
      `print token    ${secret}`,
      'print command  buy $250 BTCUSDT stop -2%',
      'print account  the one in focus when it fires',
      `print curl -sS -w '\\n' -X POST -H 'X-Hook-Token: ${secret}' http://127.0.0.1:53219/hook/${id}`,
    ])
  })

  it.each([
    ['position {target:in(long,flat)} {size:usd<=500} BTCUSDT', true],
    ['repeat 2 (position long {size:usd<=500} BTCUSDT)', true],
    ['buy {size:usd<=500} BTCUSDT', false],
    ['position long $500 BTCUSDT', false],
  ])('names what the limits of a target do not hold, when it is created: %s', async (command, isNamed) => {
    const session = await createSession()
    const line =
      'info the alert names a position: limits apply to the target; an order may exceed them by what you hold'
    expect((await session.run(`hook create tv '${command}'`)).includes(line)).toBe(isNamed)
    if (isNamed) expect(await session.run(`hook edit tv '${command} -- {id:key}'`)).toContain(line)
  })

  it.each([
    `hook create flat 'echo "a"; close all' --account paper`,
    `hook create --account paper flat 'echo "a"; close all'`,
    `hook create flat --account=paper 'echo "a"; close all'`,
    `hook create flat --account="paper" 'echo "a"; close all'`,
    `HOOK CREATE flat 'echo "a"; close all' --account "paper"`,
  ])('pins an account: %s', async (line) => {
    const session = await withHook(line)
    expect(onlyHook(session)).toMatchObject({ name: 'flat', command: 'echo "a"; close all', account: 'paper' })
  })

  it.each(['hook', 'web'] as const)('prints no secret in a run from %s', async (source) => {
    const session = await createSession()
    const created = await session.run('hook create dip "echo ok"', { source })
    const { id, secret } = onlyHook(session)
    const shown = await session.run(`hook show ${id}`, { source })
    const rotated = await session.run(`hook rotate ${id}`, { source })
    const text = [...created, ...shown, ...rotated, ...(await session.run('hook list', { source }))].join('\n')
    expect(text).not.toContain(secret)
    expect(text).not.toContain(onlyHook(session).secret)
    expect(created).toContain('print token    <hidden>')
    expect(created.at(-1)).toContain("-H 'X-Hook-Token: <hidden>'")
  })

  it.each([
    ['buy $100 NOPEUSDT', /^warn a fire now would be refused: .*NOPEUSDT/m],
    ['buy $100 BTCUSDT stop +2%', /^warn a fire now would be refused: .*stop/m],
    ['buy $99999999 BTCUSDT', /^warn a fire now would be refused: .*margin/m],
  ])('that no fire could run now warns when it is created: %s', async (command, warning) => {
    const session = await createSession()
    const printed = (await session.run(`hook create odd "${command}"`)).join('\n')
    expect(printed).toMatch(/^success created hook odd$/m)
    expect(printed).toMatch(warning)
    expect(printed).not.toContain('a fire now would buy')
    expect((await session.run('hook create flat "close BTCUSDT"')).join('\n')).not.toContain('would be refused')
  })

  it('prints the secret for `exec` as for the prompt', async () => {
    const session = await createSession()
    const lines = await session.run('hook create dip "echo ok"', { source: 'exec' })
    expect(lines).toContain(`print token    ${onlyHook(session).secret}`)
  })

  it.each([
    // The column is where in the typed line the fault stands.
    ['hook create dip "byu $250"', 18, /unknown command `byu` \| `help` lists the commands/],
    ['hook create dip "echo ok; byu $250"', 27, /unknown command `byu`/],
    ['hook create dip "repeat 2 (echo; byu)"', 34, /unknown command `byu`/],
    ['hook create dip "hook crate x"', 18, /did you mean `hook create`/],
    ['hook create dip "echo a;; echo b"', 25, /empty-step/],
    ["hook create dip 'echo \"a'", 23, /unclosed-quote/],
    ['hook create dip "account add x paper"', 18, /`account add` runs only in the terminal/],
    ['hook create dip "alias z close; symbol ETHUSDT; exit"', 49, /`exit` runs only/],
    ['hook create dip "buy 500"', 22, /bare-number/],
    ['hook create dip "buy $100 @ 50000"', 27, /type at 50000/],
    ['hook create dip "buy $100 stop −2%"', 32, /typographic minus/],
    ['hook create dip "echo a; sleep 1h"', 32, /bad-duration/],
    ['hook create dip "buy {size:usd} BTCUSDT"', 28, /bad-slot.*has no cap/],
    ['hook create dip "close {symbol}"', 32, /bad-slot.*has no list/],
    ['hook create dip "symbol {s:in(BTCUSDT)}"', 25, /`symbol` takes no slots/],
    ['hook create dip "account {s:in(PAPER)}"', 18, /unknown command/],
    ['hook create dip "repeat 2 (close 0%)"', 34, /bad-size/],
    ['hook create dip "repeat 1000 (repeat 1000 (echo))"', 25, /too-many-steps/],
    ['hook create dip "echo || byu"', 26, /unknown command `byu`/],
    ['hook create dip ""', 18, /missing-command/],
    [
      'hook create dip buy $250',
      21,
      /unexpected-argument: a hook takes one quoted command \| type `hook create dip "buy \$250"`$/,
    ],
    ['hook create dip “buy $250”', 17, /bad-argument: .* has a typographic quote/],
    ['hook create dip', 16, /missing-argument/],
    ['hook create "buy $250"', 23, /missing-argument: the name, before the command, is missing/],
    ['hook create', 1, /missing-argument/],
    ['hook create dip "echo" --account', 33, /missing-argument/],
  ])('refuses `%s` at column %i', async (line, column, says) => {
    const session = await createSession()
    const run = session.start(line)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringMatching(says)])
    expect(run.columns).toEqual([column])
    expect(session.ports.hooks.list()).toEqual([])
  })

  it('leaves what a variable will hold for when it fires', async () => {
    const session = await withHook('hook create dip "buy @size BTCUSDT"')
    expect(onlyHook(session).command).toBe('buy @size BTCUSDT')
  })

  it('refuses an account that does not exist', async () => {
    const session = await createSession()
    const lines = await session.run('hook create dip "echo ok" --account nope')
    expect(lines).toEqual(['error unknown-account: no account nope found | `account` lists them'])
    expect(session.ports.hooks.list()).toEqual([])
  })

  it('takes aliases in the body, and looks into them', async () => {
    const session = await createSession()
    await session.run('alias z "cancel; close"; alias bad "exit"')
    await session.run('hook create flat "z ETHUSDT"')
    expect(onlyHook(session).command).toBe('z ETHUSDT')
    expect(await session.run('hook create bye "bad"')).toEqual([expect.stringMatching(/`exit` runs only/)])
  })
})

describe('hook list', () => {
  it.each(['hook', 'hook list', 'hooks'])('`%s` hides secrets', async (line) => {
    const session = await withHook()
    const { id, secret } = onlyHook(session)
    const lines = await session.run(line)
    expect(lines).toEqual([
      expect.stringMatching(/^print id +name +secret +account +command +created \(UTC\)$/),
      expect.stringMatching(new RegExp(`^print ${id} +dip +<hidden> +buy \\$250 BTCUSDT stop -2% +2026-01-01`)),
    ])
    expect(lines.join('\n')).not.toContain(secret)
  })

  it('says how to make one when there is none', async () => {
    const session = await createSession()
    expect(await session.run('hooks')).toEqual([expect.stringMatching(/^info no hooks; `hook create/)])
  })

  it('shows no control or bidi characters from a file that others wrote', async () => {
    const session = await withHook()
    const path = join(session.directory, 'hooks.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"dip"', '"a\\u001b[2J\\u202eb"'))
    const [, row] = await session.run('hooks')
    expect(row).not.toMatch(/[\u001b\u202e]/)
  })
})

describe('hook show, rotate and revoke', () => {
  it('shows the token again, by a prefix of eight', async () => {
    const session = await withHook()
    const { id, secret } = onlyHook(session)
    const lines = await session.run(`hook show ${id.slice(0, 8)}`)
    expect(lines[0]).toBe('print hook dip runs: buy $250 BTCUSDT stop -2%')
    expect(lines).toContain(`print token    ${secret}`)
  })

  it('finds a hook by its name, in any case', async () => {
    const session = await withHook()
    const { id, secret } = onlyHook(session)
    expect(await session.run('hook show DIP')).toContain(`print token    ${secret}`)
    expect((await session.run('hook rotate dip'))[0]).toMatch(/^success hook dip has a new token/)
    expect(onlyHook(session).secret).not.toBe(secret)
    expect(await session.run('hook revoke dip')).toEqual([`success revoked hook dip (${id})`])
  })

  it('shows the longest name whole', async () => {
    const name = 'n'.repeat(64)
    const session = await withHook(`hook create ${name} "echo ok"`)
    expect((await session.run('hooks'))[1]).toContain(` ${name} `)
    expect((await session.run(`hook show ${name}`))[0]).toBe(`print hook ${name} runs: echo ok`)
  })

  it('rotates in place', async () => {
    const session = await withHook()
    const before = onlyHook(session)
    const lines = await session.run(`hook rotate ${before.id}`)
    const after = onlyHook(session)
    expect(after).toEqual({ ...before, secret: after.secret })
    expect(after.secret).not.toBe(before.secret)
    expect(lines).toContain(`print token    ${after.secret}`)
  })

  it('revokes one, and all', async () => {
    const session = await withHook()
    const { id } = onlyHook(session)
    await session.run('hook create a "echo a"; hook create b "echo b"')
    expect(await session.run(`hook revoke ${id.slice(0, 10)}`)).toEqual([`success revoked hook dip (${id})`])
    expect(await session.run('hook revoke --all')).toEqual(['success revoked 2 hooks'])
    expect(session.ports.hooks.list()).toEqual([])
  })

  it('is deleted after a yes alone where a person types it', async () => {
    const answers: boolean[] = []
    const { terminal, asked } = deciding(answers)
    const session = await createSession({ terminal })
    expect(await session.run('hook revoke --all')).toEqual(['success revoked 0 hooks'])
    for (const name of ['dip', 'rip']) await session.run(`hook create ${name} "echo x"`)
    expect(await session.run('hook revoke dip')).toEqual(['error cancelled: canceled: hook dip stays'])
    expect(await session.run('hooks revoke --all')).toEqual(['error cancelled: canceled: the hooks stay'])
    expect(asked).toEqual(['delete hook dip and its address? y or n >', 'delete 2 hooks and their addresses? y or n >'])
    expect(session.ports.hooks.list()).toHaveLength(2)
    expect(await session.run('hook revoke rip --yes')).toEqual([expect.stringMatching(/^success revoked hook rip/)])
    expect(asked).toHaveLength(2)
    answers.push(true)
    expect((await session.run('hook revoke dip'))[0]).toMatch(/^success revoked hook dip/)
    expect(await session.run('hooks revoke --all')).toEqual(['success revoked 0 hooks'])
    expect(session.ports.hooks.list()).toEqual([])
  })

  it.each([
    ['show 1234567', 'prefix-too-short'],
    ['rotate 12345678', 'not-found'],
    ['revoke', 'missing-argument'],
    ['revoke 12345678 x', 'unexpected-argument'],
  ])('refuses `hook %s`: %s', async (rest, code) => {
    const session = await withHook()
    expect(await session.run(`hook ${rest}`)).toEqual([expect.stringMatching(new RegExp(`^error ${code}: `))])
    expect(session.ports.hooks.list()).toHaveLength(1)
  })

  it('refuses a prefix that fits several', async () => {
    const session = await withHook()
    const path = join(session.directory, 'hooks.json')
    const { hooks } = JSON.parse(readFileSync(path, 'utf8'))
    const twin = { ...hooks[0], id: `${hooks[0].id.slice(0, 8)}${'0'.repeat(24)}` }
    writeFileSync(path, JSON.stringify({ hooks: [...hooks, twin] }))
    for (const form of ['show', 'rotate', 'revoke']) {
      expect(await session.run(`hook ${form} ${twin.id.slice(0, 8)}`)).toEqual([
        expect.stringMatching(/^error ambiguous: /),
      ])
    }
    expect(session.ports.hooks.list()).toHaveLength(2)
  })
})

describe('a hook with slots', () => {
  const line =
    'hook create tv "buy {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)}; stop {symbol:in(BTCUSDT,ETHUSDT)} at {price:number}"'

  it('shows the message to paste into an alert, in both forms', async () => {
    const session = await withHook(line)
    const shown = await session.run('hook show tv')
    expect(shown.slice(-2)).toEqual([
      'print {"size":"500","symbol":"{{ticker}}","price":"{{close}}"}',
      'print size=500 symbol={{ticker}} price={{close}}',
    ])
  })

  it('is tried with its slots filled: what can never run is refused', async () => {
    const session = await createSession()
    const refused = await session.run('hook create tv "buy {size:usd<=500} $5 BTCUSDT"')
    expect(refused.join('\n')).toContain('reads as a second size')
    expect(session.ports.hooks.list()).toEqual([])
  })

  it('may say the whole target position', async () => {
    const session = await createSession()
    const body =
      'position {target:in(long,short,flat)} {size:usd<=500} {symbol:in(BTCUSDT)} from {previous:in(long,short,flat)}'
    await session.run(`hook create tv "${body}"`)
    expect(onlyHook(session).command).toBe(body)
  })

  it('takes slots behind an alias that orders, and behind none that does not', async () => {
    const session = await createSession()
    await session.run('alias enter "cancel; buy"')
    await session.run('alias look "symbol"')
    await session.run('hook create a "enter {size:usd<=500}"')
    const refused = await session.run('hook create b "look {s:in(BTCUSDT)}"')
    expect(session.ports.hooks.list().map(({ name }) => name)).toEqual(['a'])
    expect(refused.join('\n')).toContain('takes no slots')
  })
})
