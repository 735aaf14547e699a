// package-lock.json as npm reads it: which packages there are, and which of them come with others.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

export interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly license?: string
  readonly deprecated?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** Where a package is installed, as `node_modules/ws`, and what the lock file says of it; without the project itself. */
export const lockedPackages: ReadonlyMap<string, LockedPackage> = new Map(
  Object.entries<LockedPackage>(JSON.parse(read('package-lock.json')).packages).filter(([path]) => path !== ''),
)

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** @returns these packages and all that comes with them, by where they are installed, sorted */
export function closureOf(names: Iterable<string>): string[] {
  const found = new Set<string>()
  const visit = (from: string, name: string) => {
    const path = locate(from, name)
    if (found.has(path)) return
    found.add(path)
    for (const needed of needsOf(lockedPackages.get(path) as LockedPackage)) visit(path, needed)
  }
  for (const name of names) visit('', name)
  return [...found].sort()
}

/** What npm installs with it: peers too, but for those that may be missing. */
function needsOf(entry: LockedPackage): string[] {
  const peers = Object.keys(entry.peerDependencies ?? {})
  return [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
    ...peers.filter((name) => !entry.peerDependenciesMeta?.[name]?.optional),
  ]
}

/** As Node looks for it: beside the one that needs it, then ever further up. */
function locate(from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (lockedPackages.has(path)) return path
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${from || 'hookline'}`)
  }
}
