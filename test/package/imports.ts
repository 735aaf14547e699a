// Which packages a folder of src asks for.
import { readdirSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { ROOT, read } from './lock-file.ts'

const SPECIFIER = /(?:from|import)\s*\(?\s*'([^'.\s][^'\s]*)'/g

/** @returns the packages' names, sorted; Node's own modules are none */
export function packagesImportedBy(keep: (file: string) => boolean): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && keep(file))
  const specifiers = files.flatMap((file) => [...read(`src/${file}`).matchAll(SPECIFIER)].map(([, name = '']) => name))
  return [...new Set(specifiers.filter((name) => !isNodes(name)).map(packageOf))].sort()
}

export const isNodes = (specifier: string): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier)

/** `zod/mini` is a part of `zod`, `@hono/node-server/x` of `@hono/node-server`. */
export const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
