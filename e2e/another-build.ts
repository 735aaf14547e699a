// A build of the console that differs from the one in dist/ in every name that has a hash, as a build of changed sources does.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { tempDirectory } from '../harness/files/temp-directory.ts'
import { BINARY } from '../harness/process/built-hookline.mjs'
import { integrityOf, withIntegrity } from '../scripts/console-integrity.mjs'

const TEXT = /\.(?:js|css|html|svg|webmanifest)$/
const HASHED = /-([\w-]{8})\.\w+$/

/** @returns the hookline that serves it */
export function makeAnotherBuild(): string {
  const from = dirname(BINARY)
  const to = tempDirectory()
  for (const name of ['hookline.cjs', 'main.cjs']) copyFileSync(join(from, name), join(to, name))
  const files = readdirSync(join(from, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(from, join(entry.parentPath, entry.name)))
  const hashes = files
    .filter((file) => file.includes('assets/'))
    .flatMap((file) => HASHED.exec(basename(file))?.[1] ?? [])
  const rename = (text: string) => hashes.reduce((renamed, hash) => renamed.replaceAll(hash, otherThan(hash)), text)
  for (const file of files) {
    const path = join(to, rename(file))
    mkdirSync(dirname(path), { recursive: true })
    if (!TEXT.test(file)) copyFileSync(join(from, file), path)
    else writeFileSync(path, changed(file, rename(readFileSync(join(from, file), 'utf8'))))
  }
  pin(
    join(to, 'web'),
    files.map((file) => rename(file).slice('web/'.length)),
  )
  return join(to, 'hookline.cjs')
}

/** As the build does: in the page, then in the worker, which knows the hash of that too. */
function pin(folder: string, files: readonly string[]): void {
  const hashOf = (file: string) => integrityOf(readFileSync(join(folder, file)))
  const page = join(folder, 'index.html')
  const assets = files.filter((file) => file.startsWith('assets/'))
  writeFileSync(
    page,
    withIntegrity(readFileSync(page, 'utf8'), new Map(assets.map((file) => [`/${file}`, hashOf(file)]))),
  )
  const worker = join(folder, 'sw.js')
  const said = readFileSync(worker, 'utf8').replace(/\{[^{}]*"url":"([^"]+)"[^{}]*\}/g, (entry, file) =>
    entry.replace(/sha256-[^"]+/, hashOf(file)),
  )
  writeFileSync(worker, said)
}

function otherThan(hash: string): string {
  return hash.slice(0, -1) + (hash.endsWith('x') ? 'y' : 'x')
}

/** The worker tells builds apart by the revision of what has no hash. */
function changed(file: string, text: string): string {
  if (!file.endsWith('sw.js')) return text
  return text.replace(
    /"revision":"[0-9a-f]{31}./,
    (revision) => revision.slice(0, -1) + (revision.endsWith('0') ? '1' : '0'),
  )
}
