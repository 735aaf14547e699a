// What `hookline web` for many is started with, checked before anything else is done.
import { defined } from '../base/defined.ts'
import { isLoopback } from '../protocol/address.ts'
import { TrustedProxies } from './client-address.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'

export interface HostingOptions {
  /** Of the sign-in service, as its discovery document names it. */
  readonly issuer: URL
  /** As which this console is registered there. */
  readonly clientId: string
  /** Of a confidential client; absent: a public one, which PKCE alone protects. */
  readonly clientSecret?: string
  /** Audiences whose tokens a check-in may bring: command lines are registered as a client of their own. */
  readonly audiences: readonly string[]
  /** The address that browsers see: an origin. */
  readonly publicUrl: URL
  /** For `pg`. */
  readonly databaseUrl: string
  /** Where this server listens, behind its TLS proxy. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Whose `X-Forwarded-For` is believed, besides proxies of this machine. */
  readonly trustedProxies: TrustedProxies
  /** To PostgreSQL, of this server. */
  readonly databaseConnections: number
}

/** As typed, and the environment. */
export interface HostingInput {
  readonly issuer: string
  readonly publicUrl: string | undefined
  /** Default `hookline-web`. */
  readonly clientId: string | undefined
  /** Default `hookline`. */
  readonly cliClientId: string | undefined
  /** `<host>:<port>`; default `127.0.0.1:53220`. */
  readonly listen: string | undefined
  readonly databaseUrl: string | undefined
  readonly clientSecret: string | undefined
  /** Addresses and networks, with commas between. */
  readonly trustedProxies?: string | undefined
  /** Default 10. */
  readonly databaseConnections?: string | undefined
}

/** @throws {HostingError} `bad-option` */
export function readHostingOptions(input: HostingInput): HostingOptions {
  const { issuer, publicUrl, clientId = 'hookline-web', cliClientId = 'hookline', listen = '127.0.0.1:53220' } = input
  if (publicUrl === undefined)
    throw badOption('`--public-url` is missing', 'give the address that browsers will see: https://console.example')
  if (!input.databaseUrl)
    throw badOption('DATABASE_URL is not set', 'set it to the address of a PostgreSQL database: postgres://…')
  return {
    issuer: safeUrl(issuer, '--issuer'),
    publicUrl: originOf(safeUrl(publicUrl, '--public-url')),
    clientId,
    audiences: [...new Set([cliClientId, clientId])],
    databaseUrl: readDatabaseUrl(input.databaseUrl),
    trustedProxies: readProxies(input.trustedProxies),
    databaseConnections: readConnections(input.databaseConnections),
    listen: readAddress(listen),
    ...defined({ clientSecret: input.clientSecret }),
  }
}

/** Tokens and sessions pass there: without TLS only on this machine. */
function safeUrl(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))))
    throw badOption(`\`${flag} ${text}\` is not an https address`, 'give one that begins with https://')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw badOption(`\`${flag}\` has more than an address`, 'leave out user, query and fragment')
  return url
}

function originOf(url: URL): URL {
  if (url.pathname !== '/')
    throw badOption('`--public-url` has a path', 'give the console a host name of its own, without a path')
  return new URL(url.origin)
}

function readAddress(text: string): HostingOptions['listen'] {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text)
  const [, ipv6, name, digits] = parts ?? []
  const [host, port] = [ipv6 ?? name, Number(digits)]
  if (host === undefined || port > 65_535)
    throw badOption(`\`--listen ${text}\` is not an address`, 'give host and port: 127.0.0.1:53220 or [::1]:53220')
  return { host, port }
}

/** Its password is not repeated. */
function readDatabaseUrl(text: string): string {
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return text
  throw badOption('DATABASE_URL is not an address of a database', 'give one that begins with postgres://')
}

function readProxies(text = ''): TrustedProxies {
  const networks = text.split(',').flatMap((each) => each.trim() || [])
  try {
    for (const each of networks) if (!/^[\da-f.:]+(?:\/\d{1,3})?$/i.test(each)) throw new TypeError(each)
    return new TrustedProxies(networks)
  } catch {
    throw badOption(
      `\`--trusted-proxies ${text}\` is not a list of addresses`,
      'give addresses or networks: 10.0.0.5,10.1.0.0/16',
    )
  }
}

function readConnections(text = String(HOSTING_LIMITS.databaseConnections)): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= 2) return count
  throw badOption(`\`--database-connections ${text}\` is not a number from 2 to 999`, 'leave it out for 10')
}

function badOption(message: string, hint: string): HostingError {
  return new HostingError('bad-option', message, { hint })
}
