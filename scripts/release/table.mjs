// What a release of hookline consists of: one row for each file, from which the workflow, the checksums and the files for Homebrew, Scoop and winget are made.
// What only the owner of the repository can know is in owner.json beside this; docs/releasing.md describes its fields.
import { readFileSync } from 'node:fs'

/**
 * @typedef {object} Owner
 * @property {string} repository `https://…/owner/hookline`, without `.git`
 * @property {string} homepage
 * @property {string} maintainer a name, for the Debian package
 * @property {string} maintainerEmail
 * @property {string} image `ghcr.io/owner/hookline`
 * @property {string} wingetPublisher the first part of winget's identifier
 */

/** @type {readonly (keyof Owner)[]} */
export const OWNER_FIELDS = ['repository', 'homepage', 'maintainer', 'maintainerEmail', 'image', 'wingetPublisher']

/** @type {Owner} */
const REHEARSAL = {
  repository: 'https://repository.invalid/hookline',
  homepage: 'https://repository.invalid/hookline',
  maintainer: 'Rehearsal',
  maintainerEmail: 'rehearsal@repository.invalid',
  image: 'registry.invalid/hookline',
  wingetPublisher: 'Rehearsal',
}

/**
 * @param {{ rehearsal: boolean }} how a rehearsal has names that lead nowhere where the owner has none
 * @returns {Owner}
 * @throws a release has a field that is empty
 */
export function readOwner({ rehearsal }) {
  const filled = JSON.parse(readFileSync(new URL('owner.json', import.meta.url), 'utf8'))
  const empty = OWNER_FIELDS.filter((field) => typeof filled[field] !== 'string' || filled[field] === '')
  if (!rehearsal && empty.length > 0)
    throw new Error(`scripts/release/owner.json has no ${empty.join(', ')}; docs/releasing.md describes each`)
  const missing = Object.fromEntries(empty.map((field) => [field, REHEARSAL[field]]))
  return { ...filled, ...missing }
}

/**
 * @typedef {object} Artifact
 * @property {'npm' | 'deb' | 'binary' | 'sbom'} kind
 * @property {string} file its name on the page of the release
 * @property {'linux' | 'win' | 'darwin'} [system] as Node's packages name it
 * @property {'x64' | 'arm64'} [arch]
 * @property {string} [runner] where it is built and started; absent: on the runner of the release
 */

/**
 * @param {string} version
 * @returns {readonly Artifact[]}
 */
export function artifactsOf(version) {
  return [
    { kind: 'npm', file: `hookline-${version}.tgz` },
    { kind: 'deb', file: `hookline_${version}_all.deb` },
    { kind: 'sbom', file: `hookline-${version}.cdx.json` },
    { kind: 'binary', file: 'hookline-linux-x64', system: 'linux', arch: 'x64' },
    { kind: 'binary', file: 'hookline-linux-arm64', system: 'linux', arch: 'arm64', runner: 'ubuntu-24.04-arm' },
    { kind: 'binary', file: 'hookline-win-x64.exe', system: 'win', arch: 'x64', runner: 'windows-latest' },
    { kind: 'binary', file: 'hookline-darwin-arm64', system: 'darwin', arch: 'arm64', runner: 'macos-latest' },
  ]
}

/** @returns {{ version: string, description: string, license: string, node: string }} of package.json; `node` is the oldest, as in `20.19` */
export function readPackage() {
  const { version, description, license, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [, node = ''] = /(\d+\.\d+)/.exec(engines.node) ?? []
  return { version, description, license, node }
}
