// The bill of materials, CycloneDX 1.6: what is compiled into the program (dist/THIRD-PARTY.md, which the bundlers know), with the hash that
// package-lock.json pins each package by. `npm sbom` cannot know it: all of them are development dependencies.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** @typedef {{ readonly name: string, readonly version: string, readonly license: string }} Compiled */

/** @param {string} notices dist/THIRD-PARTY.md @returns {readonly Compiled[]} */
export function compiledIn(notices) {
  const headings = notices.matchAll(/^## ((?:@[^/\s]+\/)?[^\s:]+) ([^\s:]+): (.+)$/gm)
  return [...headings].map(([, name = '', version = '', license = '']) => ({ name, version, license }))
}

/**
 * @param {{ version: string, license: string, seconds: number, notices: string, lock: string }} from `seconds`: of the commit, since the epoch
 * @returns {string} JSON
 */
export function billOfMaterials({ version, license, seconds, notices, lock }) {
  const locked = Object.entries(JSON.parse(lock).packages)
  const components = compiledIn(notices).map((compiled) => {
    const [, entry] = locked.find(([path, found]) => isOf(compiled, path, found)) ?? []
    if (entry === undefined) throw new Error(`package-lock.json has no ${compiled.name} ${compiled.version}`)
    const [algorithm = '', digest = ''] = entry.integrity.split('-', 2)
    if (algorithm !== 'sha512') throw new Error(`${compiled.name} is not pinned by sha512`)
    const purl = purlOf(compiled)
    return {
      type: 'library',
      'bom-ref': purl,
      name: compiled.name,
      version: compiled.version,
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
      licenses: [
        / OR | AND /.test(compiled.license) ? { expression: compiled.license } : { license: { id: compiled.license } },
      ],
      purl,
    }
  })
  const own = purlOf({ name: 'hookline', version })
  const body = {
    metadata: {
      timestamp: new Date(seconds * 1_000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': own,
        name: 'hookline',
        version,
        licenses: [{ license: { id: license } }],
        purl: own,
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: components.map(({ purl }) => purl) }],
  }
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialNumberOf(body), version: 1 }
  return `${JSON.stringify({ ...head, ...body }, null, 2)}\n`
}

/** @param {Compiled} compiled @param {string} path in node_modules @param {{ version: string }} entry */
function isOf({ name, version }, path, entry) {
  return path.endsWith(`node_modules/${name}`) && entry.version === version
}

/** @param {{ name: string, version: string }} of */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** The same content has the same number, so that two builds are equal. @param {unknown} body */
function serialNumberOf(body) {
  const hex = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  // As a UUID of version 8, which anyone may compute as they like.
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return `urn:uuid:${parts.join('-')}`
}

/** @param {{ version: string, license: string, seconds: number }} of */
export function sbomOfBuild(of) {
  const [notices, lock] = ['dist/THIRD-PARTY.md', 'package-lock.json'].map((path) => readFileSync(path, 'utf8'))
  return billOfMaterials({ ...of, notices, lock })
}
