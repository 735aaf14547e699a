// `login` (behaviours 19 and 51): a person approves this machine in a browser, here or on a telephone. It gives no right to trade: it tells a web app
// who the operator is.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import type { DeviceCode } from '../../sign-in/device-code.ts'
import { prepareVault } from '../account/dialog.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { hostOf, signInData, untilWhen, whoIs } from '../kit/lines.ts'
import { refuseMoreThan, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { largeCode } from './large-code.ts'

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
  summary: 'sign in with an OpenID provider, for the web app to know who you are',
  where: 'trusted',
  asks: true,
  examples: [
    {
      line: 'login --issuer https://id.example.com',
      says: 'shows a code and where to type it; both are kept for the next time',
    },
    { line: 'login --keys keychain', says: "the same provider again; its tokens go to the system's keychain" },
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
      hint: '`login --issuer https://…` with the address of yours; docs/sign-in.md says which will do',
    })
  }
  const source = SOURCES.find((each) => each === (keys ?? ports.signIn.read()?.keys.from ?? 'file'))
  if (source === undefined) {
    throw new LanguageError(
      'bad-argument',
      'the tokens cannot be kept there',
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
  if (picture !== undefined) out.print(`or scan it with a telephone:\n${picture}`)
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
  let saidAt = clock.now()
  return (leftMs) => {
    if (clock.now() - saidAt < STILL_MS) return
    saidAt = clock.now()
    out.info(`still waiting; the code is valid for ${Math.ceil(leftMs / 60_000)} min more`)
  }
}
