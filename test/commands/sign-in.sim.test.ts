import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import { approvingProvider } from '../../harness/sign-in/approving-provider.ts'
import { largeCode } from '../../src/commands/session/sign-in.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'

const LOGIN = 'login --issuer https://id.example.com'
const NOW = 1_790_000_000_000

const terminal = (columns?: number): NonNullable<SessionOptions['terminal']> => ({
  askHidden: async () => 'a long passphrase',
  clear: () => {},
  history: () => [],
  quit: () => {},
  columns: () => columns,
})

const textOf = (lines: readonly string[]) => lines.map((line) => line.replace(/^(?:print|info) ?/, '')).join('\n')

describe('login', () => {
  it('shows the code large, a QR code, and opens a browser at the address with the code, in a wide terminal', async () => {
    const opened: string[] = []
    const session = await createSession({ terminal: terminal(80), browser: (url) => opened.push(url) })
    const text = textOf(await session.run(LOGIN))
    expect(text).toContain(largeCode('WDJB-MJHT', 80))
    expect(text).toMatch(/or scan it with a phone:\n[█▀▄ ]{30,}\n/)
    expect(text).toContain('a browser is opening; check that it shows this code; waiting for approval, 10 min at most')
    expect(opened).toEqual(['https://id.example.com/device?user_code=WDJB-MJHT'])
  })

  it.each([
    ['a narrow terminal', 30, true],
    ['a pipe', undefined, false],
  ])('says the same in plain text in %s', async (_name, columns, opens) => {
    const opened: string[] = []
    const session = await createSession({ terminal: terminal(columns), browser: (url) => opened.push(url) })
    const text = textOf(await session.run(LOGIN))
    expect(text).toContain('open   https://id.example.com/device\nenter  WDJB-MJHT')
    expect(text).not.toMatch(/[█▀▄]/)
    expect(opened).toHaveLength(opens ? 1 : 0)
  })

  it('opens no browser where it is told not to', async () => {
    const opened: string[] = []
    const session = await createSession({ terminal: terminal(80), browser: (url) => opened.push(url) })
    expect((await session.run(`${LOGIN} --no-browser`)).join('\n')).not.toContain('a browser is opening')
    expect(opened).toEqual([])
  })

  it('keeps issuer and client in config.json, nothing secret, and leaves the rest of it as it is', async () => {
    const session = await createSession()
    await session.run('symbol ETHUSDT')
    await session.run(`${LOGIN} --client-id desk`)
    const config = readFileSync(join(session.directory, 'config.json'), 'utf8')
    expect(JSON.parse(config)).toMatchObject({
      defaultSymbol: 'ETHUSDT',
      auth: { issuer: 'https://id.example.com', clientId: 'desk' },
    })
    expect(config).not.toMatch(/token|refresh/)
    expect(await session.run('login')).toContainEqual(expect.stringMatching(/^success signed in as /))
    expect(session.ports.signIn.read()).toMatchObject({ clientId: 'desk' })
    await session.run('login --issuer https://other.example.com')
    expect(session.ports.signIn.read()).toMatchObject({ issuer: 'https://other.example.com', clientId: 'hookline' })
  })

  it('says that the provider has verified no email', async () => {
    const session = await createSession({ provider: approvingProvider(() => NOW, { email: '' }) })
    const lines = await session.run(LOGIN)
    expect(lines.at(-1)).toBe('warn id.example.com has not verified an email: pages see none')
    expect((await session.run('whoami')).join()).toContain('person-1, without a verified email')
  })

  it('leaves nothing when it fails: no file, no issuer, no audit line', async () => {
    const provider = approvingProvider(() => NOW)
    provider.answers.poll = async () => {
      throw new SignInError('access-denied', 'access was denied at id.example.com')
    }
    const session = await createSession({ provider })
    expect(await session.run(LOGIN)).toContain('error access-denied: access was denied at id.example.com')
    expect(session.ports.signIn.read()).toBeUndefined()
    expect(session.ports.config.read().auth).toEqual({})
    expect(session.ports.audit.read()).toEqual([])
  })

  it('keeps its tokens in the vault where that is asked for, and asks for its passphrase', async () => {
    const session = await createSession({ terminal: terminal() })
    expect(await session.run(`${LOGIN} --keys vault`)).toContainEqual(expect.stringMatching(/^success signed in/))
    expect(session.ports.signIn.read()?.keys).toEqual({ from: 'vault' })
    expect(readFileSync(join(session.directory, 'vault.json'), 'utf8')).not.toContain('id-token-1')
  })

  it.each([
    ['login', 'error no-issuer: no OpenID provider is known'],
    ['login --issuer http://id.example.com', 'error bad-issuer: the issuer must begin with https://'],
    ['login --issuer nonsense', 'error bad-issuer: the issuer is not a URL'],
    ['login --issuer https://a:b@id.example.com', 'error bad-issuer: '],
    ['login --issuer https://id.example.com?x=1', 'error bad-issuer: the issuer has a query'],
    [`${LOGIN} --keys environment`, 'error bad-argument: the tokens cannot be stored there'],
    [`${LOGIN} more`, 'error unexpected-argument: '],
  ])('refuses `%s` in one line', async (line, error) => {
    const session = await createSession()
    const lines = await session.run(line)
    expect(lines.filter((each) => each.startsWith('error'))).toEqual([expect.stringContaining(error)])
  })

  it('is in the audit log with who and where, without a token', async () => {
    const session = await createSession()
    await session.run(LOGIN)
    await session.run('logout')
    const [login, logout] = session.ports.audit.read()
    expect(login).toMatchObject({ what: 'login', details: { issuer: 'https://id.example.com', subject: 'person-1' } })
    expect(logout).toMatchObject({ what: 'logout', details: { issuer: 'https://id.example.com', subject: 'person-1' } })
    expect(JSON.stringify([login, logout])).not.toMatch(/id-token|refresh-/)
  })
})

describe('login, logout and whoami', () => {
  it.each(['web', 'hook'] as const)('are refused to a run from %s', async (source) => {
    const provider = approvingProvider(() => NOW)
    const session = await createSession({ provider })
    await session.run(LOGIN)
    provider.asked.length = 0
    for (const line of [LOGIN, 'logout', 'whoami']) {
      const lines = await session.run(line, { source })
      expect(lines).toEqual([expect.stringMatching(/^error not-allowed-here/)])
    }
    expect(provider.asked).toEqual([])
    expect(session.ports.signIn.read()).toBeDefined()
  })
})

describe('logout', () => {
  it('removes the tokens here, whatever becomes of the provider, and says that it was not told', async () => {
    const provider = approvingProvider(() => NOW)
    provider.answers.revoke = async () => {
      throw new SignInError('provider-timeout', 'id.example.com did not answer in time', { hint: 'try again later' })
    }
    const session = await createSession({ provider })
    await session.run(LOGIN)
    expect(await session.run('logout')).toEqual([
      'success signed out ana@example.com',
      'warn id.example.com has not revoked the tokens: id.example.com did not answer in time (try again later); end the session there',
    ])
    expect(session.ports.signIn.read()).toBeUndefined()
  })

  it('does nothing where nobody is signed in', async () => {
    const provider = approvingProvider(() => NOW)
    const session = await createSession({ provider })
    expect(await session.run('logout')).toEqual(['info no sign-in found'])
    expect(provider.asked).toEqual([])
  })
})

describe('status', () => {
  it('says who is signed in, and nothing where nobody is', async () => {
    const session = await createSession()
    expect((await session.run('status')).join('\n')).not.toContain('signed in')
    await session.run(LOGIN)
    expect((await session.run('status')).join('\n')).toMatch(
      /^print signed in +ana@example\.com at id\.example\.com; its token/m,
    )
  })
})

describe('a large code', () => {
  it('draws every letter and digit that a code may have, each in its own way', () => {
    const all = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-'].map((letter) => largeCode(letter, 80))
    expect(new Set(all).size).toBe(37)
    expect(largeCode('A', 6)?.split('\n')).toEqual(['  ██', '██  ██', '██████', '██  ██', '██  ██'])
  })

  it('is not drawn where it has no room, or has letters that are not drawn', () => {
    expect(largeCode('WDJB-MJHT', 77)).toBeUndefined()
    expect(largeCode('WDJB-MJHT', 78)).toBeDefined()
    expect(largeCode('ÄÖ', 80)).toBeUndefined()
    expect(largeCode('', 80)).toBeUndefined()
  })
})
