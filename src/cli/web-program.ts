// `hookline web`: the console's server, until SIGINT or SIGTERM. Works beside any number of hooklines; they meet in the config
// directory and in the browser.
import { join } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { EXIT_CODE } from '../app/exit-code.ts'
import { createLog } from '../app/log.ts'
import { problemNotice } from '../app/notices.ts'
import { openBrowser } from '../app/open-browser.ts'
import { onStopSignal } from '../app/stop-signals.ts'
import { VERSION } from '../app/version.ts'
import { describeRefusal } from '../commands/kit/refusal.ts'
import { takeEnvironmentKeys } from '../credentials/environment.ts'
import { printable } from '../language/printable.ts'
import { configDirectory, prepareDirectory } from '../stores/directory.ts'
import { StoreError } from '../stores/store-error.ts'
import { type AssetSource, assetsIn, assetsInside } from '../web-server/assets.ts'
import { startWebServer, type WebServer } from '../web-server/web-server.ts'
import { WebServerError } from '../web-server/web-server-error.ts'

/** @returns the exit code @throws {StoreError} the config directory cannot be used */
export async function runWebServer({ open }: { readonly open: boolean }): Promise<number> {
  // The browser that may be started inherits the rest.
  takeEnvironmentKeys(process.env)
  const directory = configDirectory(process.env)
  prepareDirectory(directory)
  const stopAsked = new Promise<void>(onStopSignal)
  const assets = consoleAssets()
  const stopping = new AbortController()
  void stopAsked.then(() => stopping.abort())
  const server = await start(directory, assets, stopping.signal)
  if (server === undefined) return EXIT_CODE.failed
  process.stdout.write(`console on ${server.url} (Ctrl-C to stop)\n`)
  const problem = server.problem()
  if (problem) warn(problemNotice(problem).text)
  if ((await assets.find('/')) === undefined) warn('the console is not built yet: run `npm run build`')
  if (open)
    openBrowser(server.url, (opener) => warn(`\`${opener}\` did not open a browser; open ${server.url} yourself`))
  await stopAsked
  await server.close()
  return EXIT_CODE.ok
}

/** `build` puts the console beside this file, and scripts/build-binary.mjs into the binary. */
export function consoleAssets(): AssetSource {
  if (!isSea()) return assetsIn(join(__dirname, 'web'))
  const names: readonly string[] = JSON.parse(getAsset('files.json', 'utf8'))
  return assetsInside(names, getAsset)
}

/** @returns undefined where it could not be started, which has been told */
async function start(directory: string, assets: AssetSource, signal: AbortSignal): Promise<WebServer | undefined> {
  const log = createLog(join(directory, 'hookline.log'))
  try {
    return await startWebServer({
      directory,
      assets,
      version: VERSION,
      signal,
      onWaiting: (port) =>
        warn(
          `port ${port} was used by a connection, and the system gives it back within a minute: waiting (Ctrl-C to stop)`,
        ),
      onRefused: (reason) =>
        log.writeSeldom('warn', 'the web server refused a request', { reason: printable(reason, 300) }),
      onFailure(error) {
        if (error instanceof StoreError) return warn(describeRefusal(error))
        log.bug(error)
        warn('internal error in a request; see hookline.log')
      },
    })
  } catch (error) {
    if (!(error instanceof WebServerError)) throw error
    process.stderr.write(`error: ${error.message} (${error.hint})\n`)
    return undefined
  }
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}
