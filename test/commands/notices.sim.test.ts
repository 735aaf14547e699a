import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { NoticeError, type NoticePort } from '../../src/notices/notice.ts'
import { QUIET, WITH_SECRETS } from './notice-stages.ts'

const TOKEN = `123456789:${'A'.repeat(35)}`
const WHSEC = Buffer.alloc(32, 7).toString('base64')

const configOf = ({ directory }: { readonly directory: string }) =>
  JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'))

function answering(answer: string) {
  const { terminal } = WITH_SECRETS
  if (terminal === undefined) throw new Error('no terminal')
  return { terminal: { ...terminal, askHidden: async () => answer } }
}

describe('notices', () => {
  it('says what waits, also before anything was sent', async () => {
    const waiting = { name: 'desktop', waiting: 2, sent: 0, failed: 0, leftOut: 0 }
    const session = await createSession({ ...WITH_SECRETS, notices: { ...QUIET, status: () => [waiting] } })
    await session.run('notices add desktop')
    expect((await session.run('notices')).at(-1)).toMatch(/^print desktop +this desktop +all +nothing sent; 2 waiting$/)
  })
})

describe('notices add', () => {
  it('keeps the secret in the vault, and in config.json only where it is', async () => {
    const session = await createSession(WITH_SECRETS)
    await session.run('notices add telegram -100123')
    await session.run('notices add webhook phone https://example.com/in --kinds halt,stop')
    expect(configOf(session).notices).toEqual({
      telegram: { chatId: '-100123', keys: { from: 'vault' } },
      webhooks: [{ name: 'phone', url: 'https://example.com/in', kinds: ['stop', 'halt'], keys: { from: 'vault' } }],
    })
    const { credentials } = session.ports
    const read = (channel: string) =>
      credentials.read({ name: `notices.${channel}`, exchange: 'notices' }, { from: 'vault' })
    expect(await read('telegram')).toEqual({ secret: TOKEN })
    expect(await read('phone')).toEqual({ secret: `whsec_${WHSEC}` })
    for (const name of ['config.json', 'audit.jsonl', 'vault.json']) {
      const text = readFileSync(join(session.directory, name), 'utf8')
      expect(text).not.toContain(TOKEN)
      expect(text).not.toContain(WHSEC)
    }
    expect(readFileSync(join(session.directory, 'audit.jsonl'), 'utf8')).not.toContain('example.com/in')
  })

  it('keeps the secret in a file of its own where that is asked for, and removes it with the channel', async () => {
    const session = await createSession(WITH_SECRETS)
    await session.run('notices add telegram 42 --keys file')
    const path = join(session.directory, 'keys-notices.telegram.json')
    expect(configOf(session).notices.telegram.keys).toEqual({ from: 'file', path })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ venue: 'notices', secret: TOKEN })
    expect(await session.run('notices remove telegram')).toEqual(['success removed channel telegram'])
    expect(configOf(session).notices).toEqual({})
    expect(() => readFileSync(path)).toThrow('ENOENT')
  })

  it('leaves what else is in config.json as it is', async () => {
    const session = await createSession(WITH_SECRETS)
    await session.ports.config.changeNotices(() => ({
      later: 1,
      webhooks: [{ name: 'old', url: 'https://a.example' }],
    }))
    await session.run('symbol ETHUSDT')
    await session.run('notices add desktop; notices quiet 23:00-06:00')
    expect(configOf(session)).toEqual({
      defaultSymbol: 'ETHUSDT',
      notices: {
        later: 1,
        desktop: {},
        quiet: '23:00-06:00',
        webhooks: [{ name: 'old', url: 'https://a.example' }],
      },
    })
  })

  it.each([
    ['notices add', /^error missing-argument: /],
    ['notices add pager', /^error bad-argument: `pager` is not a channel \| type one of desktop, telegram, webhook$/],
    [
      'notices add telegram',
      /^error missing-argument: the number of the chat is missing \| `help [a-z ]+` shows its arguments$/,
    ],
    ['notices add telegram me', /^error bad-argument: a chat is a number /],
    [
      'notices add webhook phone',
      /^error missing-argument: its address is missing \| `help [a-z ]+` shows its arguments$/,
    ],
    ['notices add webhook desktop https://a.example', /cannot be a webhook's name/],
    ['notices add webhook "a b" https://a.example', /cannot be a webhook's name/],
    ['notices add webhook phone http://a.example', /^error bad-argument: this address cannot be used: .* https/],
    ['notices add webhook phone https://a:b@a.example', /has a name or a password in it$/],
    ['notices add desktop --kinds fills', /^error bad-argument: unknown kind of notice \| use --kinds with fill, /],
    ['notices add desktop --kinds fill,,', /unknown kind/],
    ['notices add telegram 42 --keys environment', /^error bad-argument: the secret cannot be stored there /],
    ['notices remove phone', /^error unknown-channel: no channel phone found/],
    ['notices test phone', /^error unknown-channel: /],
    ['notices quiet night', /^error bad-argument: invalid hours \| type 22:00-07:00$/],
    ['notices quiet 07:00-07:00', /invalid hours/],
    ['notify', /^error missing-argument: the text to send is missing \| `help [a-z ]+` shows its arguments$/],
  ])('refuses `%s` in words', async (line, expected) => {
    const session = await createSession(WITH_SECRETS)
    expect((await session.run(line)).join('\n')).toMatch(expected)
  })

  it('does not show a token that was typed behind the rest', async () => {
    const session = await createSession(WITH_SECRETS)
    const said = await session.run(`notices add telegram 42 ${TOKEN}`)
    expect(said).toEqual([expect.stringMatching(/^error unexpected-argument: .*replace a token that was in it$/)])
    expect(said.join('')).not.toContain('AAAA')
  })

  it.each([
    [
      'notices add telegram 42',
      'my other words',
      /^error bad-keys: this is not a bot token; the channel was not added/,
    ],
    ['notices add webhook phone https://a.example', 'whsec_short', /^error bad-keys: this is not a signing secret/],
    ['notices add telegram 42', '', /^error bad-keys: /],
  ])('`%s` does not keep %j', async (line, answer, expected) => {
    const session = await createSession(answering(answer))
    const said = await session.run(`${line} --keys file`)
    expect(said.join('\n')).toMatch(expected)
    if (answer !== '') expect(said.join('\n')).not.toContain(answer)
    expect(session.ports.config.read().notices.channels).toEqual([])
  })

  it('refuses a second channel of a name, and a ninth webhook', async () => {
    const session = await createSession(WITH_SECRETS)
    await session.run('notices add desktop')
    expect(await session.run('notices add desktop')).toEqual([
      'error already-exists: channel desktop already exists | `notices remove desktop` first',
    ])
    const rows = Array.from({ length: 8 }, (_, n) => ({ name: `w${n}`, url: 'https://a.example' }))
    await session.ports.config.changeNotices(() => ({ webhooks: rows }))
    expect(await session.run('notices add webhook w9 https://a.example')).toEqual([
      'error too-many: 8 webhooks already exist | `notices remove` one',
    ])
  })

  it('needs a terminal for a secret', async () => {
    const session = await createSession()
    expect(await session.run('notices add telegram 42 --keys file')).toEqual([
      expect.stringMatching(/^error no-terminal: /),
    ])
  })
})

describe('notices test', () => {
  it('says of each channel how it went, and fails where one has failed', async () => {
    const test = async (name: string) => {
      if (name === 'phone')
        throw new NoticeError('refused', 'the receiver answered with status 500', { hint: 'look there' })
    }
    const session = await createSession({ notices: { ...QUIET, test } })
    await session.ports.config.changeNotices(() => ({
      desktop: true,
      webhooks: [{ name: 'phone', url: 'https://a.example' }],
    }))
    expect((await session.run('notices test')).toSorted()).toEqual([
      'error not-delivered: not every channel took it | `notices` lists them',
      'error phone: the receiver answered with status 500 (look there)',
      'success desktop: sent',
    ])
  })
})

describe('notify', () => {
  it('is counted for the hook or the page that says it, and for the terminal', async () => {
    const said: (readonly [string, string | undefined])[] = []
    const say: NoticePort['sendFor'] = ({ text, hook }, who) => {
      said.push([who, hook])
      return text !== 'too much'
    }
    const session = await createSession({ notices: { ...QUIET, sendFor: say } })
    expect(await session.run('notify hello there')).toEqual(['print hello there'])
    expect(await session.run('notify "too much"')).toEqual([
      'warn not sent: too many notices within a minute: too much',
    ])
    expect(said).toEqual([
      ['terminal', undefined],
      ['terminal', undefined],
    ])
  })

  it('has live values filled in, and strings left as they are', async () => {
    const session = await createSession()
    expect(await session.run('notify at $last "for $last"')).toEqual(['print at 65000 for $last'])
  })
})

describe('notices listen', () => {
  function stage(answers: (code: string) => string, { isDelivered = true } = {}) {
    const sent: string[] = []
    const { terminal } = WITH_SECRETS
    if (terminal === undefined) throw new Error('no terminal')
    const asks = { ...terminal, askHidden: async () => answers(/^\d{6}/.exec(sent.at(-1) ?? '')?.[0] ?? '') }
    const notices: NoticePort = {
      ...QUIET,
      async sendNow(_channel, text) {
        if (!isDelivered) throw new NoticeError('refused', 'Telegram does not know the token of the bot')
        sent.push(text)
      },
    }
    return { sent, session: createSession({ terminal: asks, notices }) }
  }
  const added = (chatId = '42') => ({ telegram: { chatId, keys: { from: 'vault' } } })

  it('asks for the code that the bot sent, and the chat listens', async () => {
    const { sent, session } = stage((code) => ` ${code.slice(0, 3)} ${code.slice(3)}`)
    const { run, ports, directory } = await session
    await ports.config.changeNotices(() => added())
    expect(await run('notices listen telegram')).toEqual([
      'success chat 42 may look, cancel, close, halt and panic, while hookline listens; write `help` to the bot',
    ])
    expect(sent).toHaveLength(1)
    expect(configOf({ directory }).notices.telegram).toEqual({ ...added().telegram, listensTo: '42' })
    expect((await run('notices')).join('\n')).toContain('chat 42, listens')
    expect(await run('notices listen off')).toEqual(['success messages to the bot do nothing from now on'])
    expect(configOf({ directory }).notices.telegram).toEqual(added().telegram)
    expect(readFileSync(join(directory, 'audit.jsonl'), 'utf8')).not.toContain(sent[0]?.slice(0, 6))
  })

  it('leaves the chat as it is after three wrong codes', async () => {
    const { session } = stage((code) => String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
    const { run, ports, directory } = await session
    await ports.config.changeNotices(() => added())
    const wrong = 'warn this is not the code'
    expect(await run('notices listen telegram')).toEqual([
      wrong,
      wrong,
      wrong,
      expect.stringMatching(/^error not-proven: /),
    ])
    expect(configOf({ directory }).notices.telegram.listensTo).toBeUndefined()
  })

  it('refuses the chat of a group, which others write in too', async () => {
    const { sent, session } = stage((code) => code)
    const { run, ports } = await session
    await ports.config.changeNotices(() => added('-100123'))
    expect(await run('notices listen telegram')).toEqual([expect.stringMatching(/^error not-private: /)])
    expect(sent).toEqual([])
  })

  it('reports a code that could not be sent', async () => {
    const { session } = stage((code) => code, { isDelivered: false })
    const { run, ports } = await session
    await ports.config.changeNotices(() => added())
    expect(await run('notices listen telegram')).toEqual([
      'error not-delivered: the code could not be sent: Telegram does not know the token of the bot',
    ])
  })

  it('needs a Telegram channel', async () => {
    const { session } = stage((code) => code)
    const { run } = await session
    expect(await run('notices listen telegram')).toEqual([expect.stringMatching(/^error unknown-channel: /)])
    expect(await run('notices listen desktop')).toEqual([expect.stringMatching(/^error unknown-channel: /)])
    expect(await run('notices listen off')).toEqual(['info no channel listens'])
  })

  it.each(['hook', 'web', 'phone'] as const)('is not for a %s', async (source) => {
    const { sent, session } = stage((code) => code)
    const { run, ports } = await session
    await ports.config.changeNotices(() => added())
    expect(await run('notices listen telegram', { source })).toEqual([
      expect.stringMatching(/^error not-allowed-here: /),
    ])
    expect(sent).toEqual([])
  })
})
