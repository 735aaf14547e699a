// `hookline update --check`: whether the registry that npm is set to has a newer hookline. Nothing is asked unless it is typed, nothing about this machine is
// sent, and nothing is installed.
import { EXIT_CODE, VERSION } from '../app/this-process.ts'
import { printable } from '../language/printable.ts'
import { runTool } from './tools.ts'

/** For npm and the registry together. */
const PATIENCE_MS = 5_000
/** Of a manifest; a registry that sends more is not read further. */
const MAX_BYTES = 1_000_000

interface UpdateCheck {
  readonly env: NodeJS.ProcessEnv
  /** Default: `HOOKLINE_REGISTRY`, then what `npm config get registry` answers. */
  readonly registry?: string
  /** Default 5,000. */
  readonly patienceMs?: number
  /** The version of this hookline, for tests. */
  readonly version?: string
}

/** Why no answer can be given, in words. */
class UpdateFailure extends Error {
  override readonly name = 'UpdateFailure'
}

/** @returns the exit code: 1 when the registry gave no answer */
export async function runUpdateCheck(check: UpdateCheck): Promise<number> {
  const { line, code } = await checkForUpdate(check)
  const stream = code === EXIT_CODE.ok ? process.stdout : process.stderr
  stream.write(`${line}\n`)
  return code
}

/** @returns one line for people, and the exit code that goes with it */
export async function checkForUpdate({
  env,
  registry,
  patienceMs = PATIENCE_MS,
  version = VERSION,
}: UpdateCheck): Promise<{ readonly line: string; readonly code: number }> {
  const signal = AbortSignal.timeout(patienceMs)
  try {
    const latest = await latestVersion(await registryUrl(registry, env, signal), signal)
    if (compareVersions(latest, version) <= 0) return { line: `hookline ${version} is the newest`, code: EXIT_CODE.ok }
    const line = `hookline ${latest} is newer than this ${version}; run \`npm install -g hookline@${latest}\``
    return { line, code: EXIT_CODE.ok }
  } catch (error) {
    if (!(error instanceof UpdateFailure)) throw error
    return { line: `error: updates cannot be checked: ${error.message}`, code: EXIT_CODE.failed }
  }
}

/** @throws {UpdateFailure} */
async function registryUrl(given: string | undefined, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<URL> {
  const text = given ?? (env.HOOKLINE_REGISTRY || (await registryOfNpm(signal)))
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:')) return url
  throw new UpdateFailure('the registry is not an http or https address; pass --registry <url>')
}

/** @throws {UpdateFailure} */
async function registryOfNpm(signal: AbortSignal): Promise<string> {
  const answer = await runTool(['npm', 'config', 'get', 'registry'], signal)
  if (answer.outcome === 'ended' && answer.code === 0) return answer.stdout.trim()
  if (signal.aborted) throw new UpdateFailure('npm did not name its registry in time; pass --registry <url>')
  throw new UpdateFailure('npm, which names the registry, cannot be run; pass --registry <url>')
}

/** @throws {UpdateFailure} */
async function latestVersion(registry: URL, signal: AbortSignal): Promise<string> {
  const address = new URL('hookline/latest', registry.href.endsWith('/') ? registry : `${registry.href}/`)
  const text = await bodyOf(address, signal).catch((error: unknown) => {
    if (error instanceof UpdateFailure) throw error
    const host = printable(registry.host, 100)
    throw new UpdateFailure(signal.aborted ? `${host} did not answer in time` : `${host} cannot be reached`)
  })
  const version = versionIn(text)
  if (version !== undefined) return version
  throw new UpdateFailure(`${printable(registry.host, 100)} does not name a version of hookline`)
}

/** @throws {UpdateFailure} or why the registry cannot be reached */
async function bodyOf(address: URL, signal: AbortSignal): Promise<string> {
  const answer = await fetch(address, { signal, headers: { accept: 'application/json' } })
  if (answer.status === 404) throw new UpdateFailure(`${printable(address.host, 100)} has no hookline`)
  if (!answer.ok) throw new UpdateFailure(`${printable(address.host, 100)} answered ${answer.status}`)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    parts.push(part)
    size += part.length
    if (size > MAX_BYTES) throw new UpdateFailure(`${printable(address.host, 100)} answered at too great a length`)
  }
  return Buffer.concat(parts).toString('utf8')
}

const VERSION_FORMAT = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,40}))?$/

function versionIn(text: string): string | undefined {
  try {
    const { version } = JSON.parse(text)
    return typeof version === 'string' && VERSION_FORMAT.test(version) ? version : undefined
  } catch {
    return undefined
  }
}

/** By the first three numbers; a version with a suffix comes before the same one without. @returns below, at or above 0 */
export function compareVersions(a: string, b: string): number {
  const [partsA, partsB] = [VERSION_FORMAT.exec(a) ?? [], VERSION_FORMAT.exec(b) ?? []]
  for (const at of [1, 2, 3]) {
    const difference = Number(partsA[at] ?? 0) - Number(partsB[at] ?? 0)
    if (difference !== 0) return difference
  }
  return Number(partsA[4] === undefined) - Number(partsB[4] === undefined)
}
