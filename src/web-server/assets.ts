// The built console. Its files are read at every request, so that a new build shows at once. A request never becomes a path: it is looked up
// in the list of what the build made, so that there is no way out of the folder.
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import { isConsolePage } from '../protocol/console.ts'

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** As `Content-Type`. */
  readonly type: string
  /** Its name has a hash of its content and so never means anything else. */
  readonly isHashed: boolean
}

export interface AssetSource {
  /** The file that answers this URL path; that of every page is `index.html`. Undefined: there is none. @throws the system's error */
  find(path: string): Promise<Asset | undefined>
}

/** As Vite names what it makes: `/assets/index-BQ2x_3aZ.js`. */
const HASHED = /^\/assets\/.+-[\w-]{8}\.\w+$/

/** @param directory need not exist: before the first build nothing is found */
export function assetsIn(directory: string): AssetSource {
  /** By URL path. Read again when something else is asked for: there may be a new build. */
  let known: ReadonlyMap<string, string> = new Map()
  return {
    async find(path) {
      const wanted = isConsolePage(path) ? '/index.html' : path
      if (!known.has(wanted)) known = await listFiles(directory)
      const file = known.get(wanted)
      const bytes = file === undefined ? undefined : await readFile(file).catch(unlessMissing(undefined))
      return bytes === undefined ? undefined : assetOf(wanted, new Uint8Array(bytes))
    },
  }
}

/** The console of a single binary, which has it inside. @param read the bytes of a name that is among `names` */
export function assetsInside(names: readonly string[], read: (name: string) => ArrayBuffer): AssetSource {
  const known = new Set(names)
  return {
    async find(path) {
      const wanted = isConsolePage(path) ? '/index.html' : path
      const name = `web${wanted}`
      return known.has(name) ? assetOf(wanted, new Uint8Array(read(name))) : undefined
    },
  }
}

function assetOf(path: string, bytes: Uint8Array<ArrayBuffer>): Asset {
  return { bytes, type: getMimeType(path) ?? 'application/octet-stream', isHashed: HASHED.test(path) }
}

/** Links are not followed. */
async function listFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(unlessMissing([]))
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [urlPath(directory, file), file]))
}

function urlPath(directory: string, file: string): string {
  return `/${relative(directory, file).replaceAll(sep, '/')}`
}

/** A build under way removes files between two looks. */
function unlessMissing<T>(substitute: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return substitute
    throw error
  }
}
