// Venues under their own names without a network: in a namespace of its own a process finds their hosts on the loopback, and a certificate
// made for the occasion speaks for them. What is tested dials what it would dial in earnest, and could reach nobody else if it wanted to.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Every host that an adapter or a stream of a venue with a stand-in or a model dials. */
const NAMES = [
  'api.binance.com',
  'fapi.binance.com',
  'dapi.binance.com',
  'eapi.binance.com',
  'papi.binance.com',
  'stream.binance.com',
  'fstream.binance.com',
  'dstream.binance.com',
  'ws-api.binance.com',
  'ws-fapi.binance.com',
  'demo-api.binance.com',
  'demo-fapi.binance.com',
  'demo-dapi.binance.com',
  'demo-stream.binance.com',
  'fstream.binancefuture.com',
  'dstream.binancefuture.com',
  'demo-ws-api.binance.com',
  'www.okx.com',
  'my.okx.com',
  'us.okx.com',
  'eea.okx.com',
  'aws.okx.com',
  'ws.okx.com',
  'wsaws.okx.com',
  'wspap.okx.com',
  'wseea.okx.com',
  'wsus.okx.com',
  'api.bybit.com',
  'stream.bybit.com',
  'api.gateio.ws',
  'fx-ws.gateio.ws',
  'api.bitget.com',
  'ws.bitget.com',
  'api.kucoin.com',
  'api-futures.kucoin.com',
  'www.deribit.com',
  'api.hyperliquid.xyz',
  'api.kraken.com',
  'futures.kraken.com',
  'api.coinbase.com',
  'api.mexc.com',
  'ws-api-spot.kucoin.com',
  'ws-api-futures.kucoin.com',
  'ws.kraken.com',
  'ws-auth.kraken.com',
  'wbs-api.mexc.com',
  'advanced-trade-ws.coinbase.com',
  'advanced-trade-ws-user.coinbase.com',
  'ws.gate.io',
  'ws.gateio.ws',
]

const HOSTS = 'hosts'
const KEY = 'key.pem'
const CERTIFICATE = 'certificate.pem'
/** Tells the processes inside where their certificate is. */
const VARIABLE = 'HOOKLINE_TEST_VENUES'

export interface VenueNames {
  /** What to put before a command, behind the prefix of a network of its own. */
  readonly prefix: readonly string[]
  /** What the command's environment must have. */
  readonly env: Readonly<Record<string, string>>
}

/** For the outer process: tries it once. What it makes is gone with the process. */
export function makeVenueNames(): VenueNames | { readonly missing: string } {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-venues-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const lines = ['127.0.0.1 localhost', '::1 localhost', ...NAMES.map((name) => `127.0.0.1 ${name}`)]
  writeFileSync(join(directory, HOSTS), `${lines.join('\n')}\n`)
  const failure = makeCertificate(directory)
  if (failure !== undefined) return { missing: failure }
  const prefix = prefixFor(join(directory, HOSTS))
  const { status, stderr, error } = spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true'], { encoding: 'utf8' })
  if (status !== 0) return { missing: error?.message ?? stderr.trim() }
  return { prefix, env: { [VARIABLE]: directory, NODE_EXTRA_CA_CERTS: join(directory, CERTIFICATE) } }
}

export interface VenueCertificate {
  readonly key: string
  readonly cert: string
  /** For processes that are to trust it. */
  readonly env: Readonly<Record<string, string>>
}

/** For the processes inside: what speaks for the venues, or why there is nothing. */
export function venueCertificate(): VenueCertificate | { readonly missing: string } {
  const directory = process.env[VARIABLE]
  if (directory === undefined || directory === '') {
    return { missing: process.env[`${VARIABLE}_MISSING`] ?? 'the tests do not run in a network of their own' }
  }
  const path = join(directory, CERTIFICATE)
  return { key: read(join(directory, KEY)), cert: read(path), env: { NODE_EXTRA_CA_CERTS: path } }
}

/** The environment of a process that gets no names, so that its tests can say why they are skipped. */
export function withoutVenueNames(missing: string): Readonly<Record<string, string>> {
  return { [`${VARIABLE}_MISSING`]: missing }
}

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

/** One certificate that is its own authority; it lives as long as the directory is used. @returns why there is none */
function makeCertificate(directory: string): string | undefined {
  const names = `subjectAltName=${NAMES.map((name) => `DNS:${name}`).join(',')}`
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', join(directory, KEY), '-out', join(directory, CERTIFICATE)]
  const args = ['req', ...kind, ...files, '-subj', '/CN=venues of the tests', '-addext', names]
  const { status, stderr, error } = spawnSync('openssl', args, { encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}

/** Root binds the file over /etc/hosts in a mount namespace; others become root in one of theirs, and themselves again. */
function prefixFor(hosts: string): readonly string[] {
  const bind = ['sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts]
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  if (uid === 0) return ['unshare', '--mount', '--', ...bind]
  const again = ['unshare', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  return ['unshare', '--mount', '--map-root-user', '--', ...bind, ...again]
}
