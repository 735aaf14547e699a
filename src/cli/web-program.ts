// `hookline web`: the console's server, until SIGINT or SIGTERM. A hookline that listens has one of its own (src/app/console-server.ts), which is this
// program as well, and then there is nothing to start.
import { join } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { CONSOLE_CHILD, type FromConsoleServer, whoHas } from '../app/console-server.ts'
import { createLog } from '../app/log.ts'
import { problemNotice } from '../app/notices.ts'
import { openBrowser } from '../app/open-browser.ts'
import { EXIT_CODE, onStopSignal, VERSION } from '../app/this-process.ts'
import { describeRefusal } from '../commands/kit/errors.ts'
import { takeEnvironmentKeys } from '../credentials/environment.ts'
import { printable } from '../language/printable.ts'
import { CONSOLE_PORT } from '../protocol/address.ts'
import { configDirectory, prepareDirectory } from '../stores/directory.ts'
import { openConsoleKey } from '../stores/identity.ts'
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
  const parent = process.env[CONSOLE_CHILD]
  if (parent !== undefined && process.send !== undefined) {
    // It may have been killed before this program had begun: nothing would end the server then.
    return parent === String(process.ppid) && process.connected ? serveFor(directory) : EXIT_CODE.ok
  }
  const holder = await whoHas(CONSOLE_PORT, await openConsoleKey(directory).load())
  holder.release?.()
  if (holder.by === 'ours') {
    process.stdout.write(`console on ${URL}, served by the hookline that runs\n`)
    if (open) openConsole()
    return EXIT_CODE.ok
  }
  const stopAsked = new Promise<void>(onStopSignal)
  const assets = consoleAssets()
  const stopping = new AbortController()
  void stopAsked.then(() => stopping.abort())
  const server = await start(directory, assets, stopping.signal, warn).catch((error: unknown) => {
    if (!(error instanceof WebServerError)) throw error
    process.stderr.write(`error: ${error.message} (${error.hint})\n`)
  })
  if (server === undefined) return EXIT_CODE.failed
  process.stdout.write(`console on ${server.url} (Ctrl-C to stop)\n`)
  const problem = server.problem()
  if (problem) warn(problemNotice(problem).text)
  if ((await assets.find('/')) === undefined) warn('the console is not built yet: run `npm run build`')
  if (open) openConsole()
  await stopAsked
  await server.close()
  return EXIT_CODE.ok
}

const URL = `http://127.0.0.1:${CONSOLE_PORT}`

function openConsole(): void {
  openBrowser(URL, (opener) => warn(`\`${opener}\` did not open a browser; open ${URL} yourself`))
}

/** For the hookline that has started this process: ends with it, and prints nothing. @returns the exit code */
async function serveFor(directory: string): Promise<number> {
  const send = (message: FromConsoleServer) => process.connected && process.send?.(message)
  const stopping = new AbortController()
  const parentGone = new Promise<void>((resolve) => process.once('disconnect', resolve))
  const stopAsked = Promise.race([parentGone, new Promise<void>(onStopSignal)])
  void stopAsked.then(() => stopping.abort())
  try {
    const server = await start(directory, consoleAssets(), stopping.signal, (why) => send({ t: 'waiting', why }))
    send({ t: 'listening' })
    await stopAsked
    await server.close()
  } catch (error) {
    if (!(error instanceof WebServerError)) throw error
    send({ t: 'refused', why: error.message })
    await parentGone
  }
  if (process.connected) process.disconnect()
  return EXIT_CODE.ok
}

/** `build` puts the console beside this file, and scripts/build-binary.mjs into the binary. */
export function consoleAssets(): AssetSource {
  if (!isSea()) return assetsIn(join(__dirname, 'web'))
  const names: readonly string[] = JSON.parse(getAsset('files.json', 'utf8'))
  return assetsInside(names, getAsset)
}

/** @throws {WebServerError} */
function start(
  directory: string,
  assets: AssetSource,
  signal: AbortSignal,
  onWaiting: (why: string) => void,
): Promise<WebServer> {
  const log = createLog(join(directory, 'hookline.log'))
  return startWebServer({
    directory,
    assets,
    version: VERSION,
    signal,
    onWaiting: (port) =>
      onWaiting(
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
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}
