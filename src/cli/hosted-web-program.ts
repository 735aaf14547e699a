// `hookline web --issuer …`: the console for many, until SIGINT or SIGTERM. It needs no config directory; what it has to tell goes to standard
// error, line by line, for a service manager to keep.
import { EXIT_CODE, onStopSignal, VERSION } from '../app/this-process.ts'
import { readSecret } from '../credentials/credential-file.ts'
import { CredentialsError } from '../credentials/keys.ts'
import { printable } from '../language/printable.ts'
import { startHostedServer } from '../web-hosting/hosted-server.ts'
import { HostingError } from '../web-hosting/hosting-error.ts'
import { readHostingOptions } from '../web-hosting/hosting-options.ts'
import { createBoundedLog } from '../web-hosting/request-rate.ts'
import { consoleAssets } from './web-program.ts'

export interface HostedWebFlags {
  readonly issuer: string
  readonly publicUrl?: string
  readonly clientId?: string
  readonly cliClientId?: string
  readonly listen?: string
  readonly trustedProxies?: string
  readonly databaseConnections?: string
}

/** @returns the exit code */
export async function runHostedServer(flags: HostedWebFlags): Promise<number> {
  const stopping = new AbortController()
  const stopAsked = new Promise<void>(onStopSignal).then(() => stopping.abort())
  const { DATABASE_URL: databaseUrl, HOOKLINE_WEB_CLIENT_SECRET_FILE: secretFile } = process.env
  const log = createBoundedLog((line) => void process.stderr.write(`${line}\n`))
  try {
    const options = readHostingOptions({
      issuer: flags.issuer,
      publicUrl: flags.publicUrl,
      listen: flags.listen,
      databaseUrl,
      clientId: flags.clientId,
      cliClientId: flags.cliClientId,
      trustedProxies: flags.trustedProxies,
      databaseConnections: flags.databaseConnections,
      clientSecret: secretFile ? readSecret(secretFile).trimEnd() : undefined,
    })
    const server = await startHostedServer({
      ...options,
      assets: consoleAssets(),
      version: VERSION,
      onRefused: (reason) => log.refusal(printable(reason, 300)),
      onFailure: (error) => log.failure(describe(error)),
      onWaiting: () => log.failure('waiting for another server, or for a lock, to bring the tables up to date'),
      signal: stopping.signal,
    })
    process.stdout.write(`console on ${options.publicUrl.origin}, listening on ${options.listen.host}:${server.port}\n`)
    await stopAsked
    await server.close()
    return EXIT_CODE.ok
  } catch (error) {
    if (error instanceof CredentialsError) {
      process.stderr.write(
        `error: HOOKLINE_WEB_CLIENT_SECRET_FILE: ${error.message}${error.hint ? ` (${error.hint})` : ''}\n`,
      )
      return EXIT_CODE.usage
    }
    if (!(error instanceof HostingError)) throw error
    if (error.code === 'database-locked' && stopping.signal.aborted) return EXIT_CODE.ok
    process.stderr.write(`error: ${describe(error)} (${error.hint})\n`)
    return error.code === 'bad-option' ? EXIT_CODE.usage : EXIT_CODE.failed
  }
}

/** With what lies beneath, for the operator: such texts name hosts and tables, never a secret. A bug comes with its stack. */
function describe(error: Error): string {
  if (!(error instanceof HostingError)) return printable(error.stack ?? error.message, 2_000)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${printable(cause.message, 300)}` : error.message
}
