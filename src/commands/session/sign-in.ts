// `login` (behaviours 19 and 51): a person approves this machine in a browser, here or on a telephone. It gives no right to trade: it tells a web app
// who the operator is.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import type { DeviceCode } from '../../sign-in/device-code.ts'
import { showMoment } from '../../trading/figures.ts'
import { prepareVault } from '../account/dialog.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { hostOf, renderTable, signInData, untilWhen, whoIs } from '../kit/lines.ts'
import { refuseMoreThan, takeFlag, takeOption } from '../kit/read-arguments.ts'

const SOURCES = ['file', 'keychain', 'vault'] as const
type TokenSource = (typeof SOURCES)[number]

/** Who registers hookline at a provider of their own may call it so, and need not say it. */
const USUAL_CLIENT = 'hookline'
const STILL_MS = 60_000

type Need = 'signIn' | 'config' | 'credentials' | 'terminal' | 'browser'

interface Wanted {
  readonly issuer: string
  readonly clientId: string
  readonly source: TokenSource
  readonly opensBrowser: boolean
}

export const login: SingleCommand<Need> = {
  name: 'login',
  group: 'session',
  usage: '[--issuer <url>] [--client-id <id>] [--keys file|keychain|vault] [--no-browser]',
  summary: 'sign in with an OpenID provider, which identifies you to the web app',
  where: 'trusted',
  asks: true,
  examples: [
    {
      line: 'login --issuer https://id.example.com',
      meaning: 'shows a code and where to type it; both are kept for the next time',
    },
    { line: 'login --keys keychain', meaning: "the same provider again; its tokens go to the system's keychain" },
  ],
  complete: ({ words }) =>
    words.at(-1) === '--keys' ? SOURCES : ['--issuer', '--client-id', '--keys', '--no-browser'],
  async run(context, args) {
    const { issuer, clientId, source, opensBrowser } = readWanted(context, args)
    const { signIn, config, credentials } = context.ports
    if (source === 'keychain') await credentials.testKeychain()
    const vault = source === 'vault' ? await prepareVault(context) : undefined
    await vault?.opened
    const row = await signIn.login({
      issuer,
      clientId,
      source,
      signal: context.signal,
      onCode: (code, from) => showCode(context, code, { issuer: from, opensBrowser }),
      onWaiting: stillWaiting(context),
      ...(vault && { beforeKeeping: () => vault.make() }),
    })
    await context.audit('login', { issuer: row.issuer, clientId, subject: row.subject, email: row.email, keys: source })
    await config.keepIssuer({ issuer: row.issuer, clientId })
    const now = context.clock.now()
    context.out.success(`signed in as ${whoIs(row)}; ${untilWhen(row, now)}`, signInData(row, now))
    if (row.email === '') context.out.warn(`${hostOf(row.issuer)} has not verified an email: pages see none`)
  },
}

function readWanted({ ports }: CommandContext<Need>, args: readonly Argument[]): Wanted {
  const known = ports.config.read().auth
  const { rest: afterIssuer, value: issuer = known.issuer } = takeOption(args, '--issuer', 'the address of the issuer')
  const { rest: afterClient, value: clientId } = takeOption(afterIssuer, '--client-id', 'the id of the client')
  const { rest: afterKeys, value: keys } = takeOption(afterClient, '--keys', 'where the tokens are kept')
  const { rest, given } = takeFlag(afterKeys, '--no-browser')
  refuseMoreThan(0, rest)
  if (issuer === undefined) {
    throw new CommandError('no-issuer', 'no OpenID provider is known', {
      hint: 'type `login --issuer https://accounts.google.com`, with the address of yours; docs/sign-in.md lists those that work',
    })
  }
  const source = SOURCES.find((each) => each === (keys ?? ports.signIn.read()?.keys.from ?? 'file'))
  if (source === undefined) {
    throw new LanguageError(
      'bad-argument',
      'the tokens cannot be stored there',
      args[0]?.column ?? 1,
      `use --keys ${SOURCES.join('|')}`,
    )
  }
  // Another issuer knows nothing of the client of the last one.
  const sameAsKnown = withoutSlash(issuer) === withoutSlash(known.issuer ?? '') ? known.clientId : undefined
  return { issuer, clientId: clientId ?? sameAsKnown ?? USUAL_CLIENT, source, opensBrowser: !given }
}

const withoutSlash = (issuer: string) => issuer.replace(/\/$/, '')

async function showCode(
  { out, ports, clock }: CommandContext<Need>,
  code: DeviceCode,
  { issuer, opensBrowser }: { readonly issuer: string; readonly opensBrowser: boolean },
): Promise<void> {
  const { userCode, address, addressWithCode, expiresAt } = code
  const columns = ports.terminal?.columns?.()
  const large = columns === undefined ? undefined : largeCode(userCode, columns)
  const lines = [`open   ${printable(address)}`, `enter  ${userCode}`]
  out.print([...lines, ...(large === undefined ? [] : ['', large, ''])].join('\n'), {
    type: 'login-code',
    issuer,
    userCode,
    address,
    expiresAt,
    ...defined({ addressWithCode }),
  })
  const full = addressWithCode ?? address
  const minutes = Math.max(1, Math.round((expiresAt - clock.now()) / 60_000))
  const picture = columns === undefined ? undefined : await drawQr(full, columns)
  if (picture !== undefined) out.print(`or scan it with a phone:\n${picture}`)
  const browser = opensBrowser && columns !== undefined ? ports.browser : undefined
  browser?.(full)
  const opened = browser === undefined ? '' : 'a browser is opening; check that it shows this code; '
  out.info(`${opened}waiting for approval, ${minutes} min at most; Ctrl-C ends it`)
}

/** @returns undefined: the terminal is too narrow */
async function drawQr(text: string, columns: number): Promise<string | undefined> {
  const { renderUnicodeCompact } = await import('uqr')
  const picture = renderUnicodeCompact(text, { ecc: 'L', border: 2 })
  return (picture.split('\n')[0] ?? '').length > columns ? undefined : picture
}

/** Once a minute. */
function stillWaiting({ out, clock }: CommandContext): (leftMs: number) => void {
  let printedAt = clock.now()
  return (leftMs) => {
    if (clock.now() - printedAt < STILL_MS) return
    printedAt = clock.now()
    out.info(`still waiting; the code is valid for ${Math.ceil(leftMs / 60_000)} min more`)
  }
}

// `logout`: the tokens go, here first; then the provider is told.

export const logout: SingleCommand<'signIn'> = {
  name: 'logout',
  group: 'session',
  usage: '',
  summary: 'sign out: remove the tokens here and revoke them at the provider',
  where: 'trusted',
  underPanic: true,
  examples: [
    { line: 'logout', meaning: 'pages see no email from then on; hooks, orders and approved clients stay as they are' },
  ],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { ports, out, clock } = context
    const ended = await ports.signIn.logout(context.signal)
    if (ended === undefined) return out.info('no sign-in found', signInData(undefined, clock.now()))
    const { row, provider } = ended
    await context.audit('logout', { issuer: row.issuer, subject: row.subject })
    out.success(`signed out ${whoIs(row)}`, signInData(undefined, clock.now()))
    const host = hostOf(row.issuer)
    if (provider === 'not-possible') out.info(`${host} has no way to revoke the tokens: they expire by themselves`)
    if (typeof provider === 'string') return
    const { error } = provider
    if (!isRefusal(error)) throw error
    out.warn(`${host} has not revoked the tokens: ${describeRefusal(error)}; end the session there`)
  },
}

// `whoami`: who is signed in, from the file alone; the provider is not asked.

export const whoami: SingleCommand<'signIn'> = {
  name: 'whoami',
  group: 'session',
  usage: '',
  summary: 'identity, provider and expiry of the sign-in',
  where: 'trusted',
  rows: true,
  immediate: true,
  examples: [{ line: 'whoami', meaning: 'the verified email, the issuer, and when the token is renewed' }],
  run({ ports, out, clock }, args) {
    refuseMoreThan(0, args)
    const row = ports.signIn.read()
    const now = clock.now()
    if (row === undefined) return out.info('no sign-in found; type `login`', signInData(row, now))
    const rows = [
      ['signed in', whoIs(row)],
      ['issuer', printable(row.issuer, 200)],
      ['client', printable(row.clientId, 100)],
      ['subject', printable(row.subject, 100)],
      ['since', `${showMoment(row.signedInAt)}`],
      ['state', untilWhen(row, now)],
      ['tokens', `in the ${row.keys.from}`],
    ]
    out.print(renderTable([{ title: '' }, { title: '' }], rows), signInData(row, now))
  },
}

// A code that can be read from across a desk: letters five rows high. Pure.

/** Five rows of three cells each, a row an octal digit: `A` is `.#.`, `#.#`, `###`, `#.#`, `#.#`. */
const NARROW: Readonly<Record<string, string>> = {
  0: '75557',
  1: '26227',
  2: '71747',
  3: '71717',
  4: '55711',
  5: '74717',
  6: '74757',
  7: '71122',
  8: '75757',
  9: '75717',
  A: '25755',
  B: '65656',
  C: '34443',
  D: '65556',
  E: '74647',
  F: '74644',
  G: '34553',
  H: '55755',
  I: '72227',
  J: '11152',
  K: '55655',
  L: '44447',
  O: '25552',
  P: '65644',
  Q: '25573',
  R: '65655',
  S: '34216',
  T: '72222',
  U: '55557',
  V: '55552',
  X: '55255',
  Y: '55222',
  Z: '71247',
  '-': '00700',
  ' ': '00000',
}
/** Three cells would make them look alike. */
const WIDE: Readonly<Record<string, readonly string[]>> = {
  M: ['#...#', '##.##', '#.#.#', '#...#', '#...#'],
  N: ['#..#', '##.#', '#.##', '#..#', '#..#'],
  W: ['#...#', '#...#', '#.#.#', '##.##', '#...#'],
}
const ROWS = [0, 1, 2, 3, 4]
const [INK, PAPER] = ['██', '  ']

/** @param columns of the terminal @returns undefined: it has no room, or the code has letters that are not drawn */
export function largeCode(code: string, columns: number): string | undefined {
  const glyphs = [...code.toUpperCase()].map(glyphOf)
  if (glyphs.length === 0 || glyphs.includes(undefined)) return undefined
  const lines = ROWS.map((row) => glyphs.map((glyph) => cells(glyph?.[row])).join(PAPER))
  return lines.some((line) => line.length > columns) ? undefined : lines.map((line) => line.trimEnd()).join('\n')
}

function glyphOf(letter: string): readonly string[] | undefined {
  const wide = WIDE[letter]
  if (wide !== undefined) return wide
  const digits = NARROW[letter]
  return digits === undefined
    ? undefined
    : [...digits].map((digit) => [4, 2, 1].map((bit) => (Number(digit) & bit ? '#' : '.')).join(''))
}

function cells(row = ''): string {
  return row.replaceAll('#', INK).replaceAll('.', PAPER)
}
