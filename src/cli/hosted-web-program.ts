// `hookline web --issuer …`: the console for many, until SIGINT or SIGTERM. It needs no config directory; what it has to tell goes to standard
// error, line by line, for a service manager to keep.
import { EXIT_CODE } from '../app/exit-code.ts'
import { onStopSignal } from '../app/stop-signals.ts'
import { VERSION } from '../app/version.ts'
import { readSecret } from '../credentials/credential-file.ts'
import { printable } from '../language/printable.ts'
import { startHostedServer } from '../web-hosting/hosted-server.ts'
import { HostingError } from '../web-hosting/hosting-error.ts'
import { readHostingOptions } from '../web-hosting/hosting-options.ts'
import { consoleAssets } from './web-program.ts'

export interface HostedWebFlags {
  readonly issuer: string
  readonly publicUrl?: string
  readonly clientId?: string
  readonly cliClientId?: string
  readonly listen?: string
}

/** A database that is gone fails every request; one line in so many ms says it. */
const SAME_EVERY_MS = 10_000

/** @returns the exit code @throws {CredentialsError} the client's secret cannot be read */
export async function runHostedServer(flags: HostedWebFlags): Promise<number> {
  const stopAsked = new Promise<void>(onStopSignal)
  const { DATABASE_URL: databaseUrl, HOOKLINE_WEB_CLIENT_SECRET_FILE: secretFile } = process.env
  const say = createTeller((line) => void process.stderr.write(`${line}\n`))
  try {
    const options = readHostingOptions({
      ...{ issuer: flags.issuer, publicUrl: flags.publicUrl, listen: flags.listen, databaseUrl },
      ...{ clientId: flags.clientId, cliClientId: flags.cliClientId },
      clientSecret: secretFile ? readSecret(secretFile).trimEnd() : undefined,
    })
    const server = await startHostedServer({
      ...{ ...options, assets: consoleAssets(), version: VERSION },
      onRefused: (reason) => say(`refused: ${printable(reason, 300)}`),
      onFailure: (error) => say(describe(error)),
    })
    process.stdout.write(`console on ${options.publicUrl.origin}, listening on ${options.listen.host}:${server.port}\n`)
    await stopAsked
    await server.close()
    return EXIT_CODE.ok
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
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

function createTeller(write: (line: string) => void): (text: string) => void {
  const lastAt = new Map<string, number>()
  return (text) => {
    const now = performance.now()
    if (now - (lastAt.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_EVERY_MS) return
    if (lastAt.size >= 100) lastAt.clear()
    lastAt.set(text, now)
    write(text)
  }
}
