// Makes the files of a release from what is built, in dist-release/. What other machines have built (binaries) lies there already.
//
//   node scripts/release/assemble.mjs [--rehearsal] [--only npm|deb|sbom|manifests] [--out <folder>]
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDeb } from './deb.mjs'
import { packageManifests } from './manifests.mjs'
import { sbomOfBuild } from './sbom.mjs'
import { artifactsOf, readOwner, readPackage } from './table.mjs'

const { values } = parseArgs({
  options: {
    rehearsal: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    out: { type: 'string', default: 'dist-release' },
  },
})
const { rehearsal } = values
const out = resolve(values.out)
const wanted = values.only ?? ['npm', 'deb', 'sbom', 'manifests']
const owner = readOwner({ rehearsal })
const { version, description, license } = readPackage()
/** The time of all files: of the commit, so that two builds of it are equal. */
const seconds = Number(
  process.env.SOURCE_DATE_EPOCH ?? execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }),
)
if (!existsSync('dist/hookline.1')) throw new Error('nothing is built yet: run `npm run build && npm run build:types`')
mkdirSync(out, { recursive: true })
const pathOf = Object.fromEntries(artifactsOf(version).map(({ kind, file }) => [kind, join(out, file)]))

/** The package as `npm publish` sends it, with the owner's addresses, without which npm refuses provenance. */
function packNpm() {
  const work = mkdtempSync(join(tmpdir(), 'hookline-pack-'))
  const pack = (/** @type {string} */ from, /** @type {string} */ to) => {
    const words = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', to]
    const [{ filename }] = JSON.parse(execFileSync('npm', words, { cwd: from, encoding: 'utf8' }))
    return join(to, filename)
  }
  try {
    execFileSync('tar', ['-xzf', pack('.', work), '-C', work])
    const folder = join(work, 'package')
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const addresses = {
      repository: { type: 'git', url: `git+${owner.repository}.git` },
      homepage: owner.homepage,
      bugs: { url: `${owner.repository}/issues` },
    }
    // What is packed is built: its scripts have nothing to run.
    const { scripts: _scripts, devDependencies: _devDependencies, overrides: _overrides, ...kept } = manifest
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...kept, ...addresses }, null, 2)}\n`)
    return pack(folder, out)
  } finally {
    rmSync(work, { recursive: true })
  }
}

if (wanted.includes('npm')) packNpm()
if (wanted.includes('deb')) buildDeb(pathOf.deb ?? '', { rehearsal, seconds })
if (wanted.includes('sbom')) writeFileSync(pathOf.sbom ?? '', sbomOfBuild({ version, license, seconds }))

/** `sha256sum --check SHA256SUMS` reads it. */
const files = readdirSync(out).filter((file) => artifactsOf(version).some((row) => row.file === file))
const hashes = new Map(
  files.sort().map((file) => [
    file,
    createHash('sha256')
      .update(readFileSync(join(out, file)))
      .digest('hex'),
  ]),
)
writeFileSync(join(out, 'SHA256SUMS'), [...hashes].map(([file, hash]) => `${hash}  ${file}\n`).join(''))

if (wanted.includes('manifests')) {
  const manifests = packageManifests({ owner, version, description, license, hashes })
  for (const [path, content] of Object.entries(manifests)) {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), content)
  }
}
