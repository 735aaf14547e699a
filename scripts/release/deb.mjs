// The Debian package: the built program with its manual, completions and the unit of a user's service. `npm run deb` needs `dpkg-deb` and no debhelper.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readOwner, readPackage } from './table.mjs'

const PROGRAM = ['hookline.cjs', 'main.cjs', 'contract.cjs', 'mcp.cjs', 'ccxt', 'web']

/** @param {readonly string[]} words of the built program @returns {string} what it prints */
function printed(...words) {
  return execFileSync(process.execPath, ['dist/hookline.cjs', ...words], { encoding: 'utf8' })
}

/** @param {string} text @returns {Buffer} the same bytes for the same text, without a name and a time */
function compressed(text) {
  return gzipSync(text, { level: 9 })
}

/** @returns {Readonly<Record<string, string | Buffer>>} what is made for the package: path → content */
function madeFiles() {
  return {
    'usr/share/man/man1/hookline.1.gz': compressed(readFileSync('dist/hookline.1', 'utf8')),
    'usr/share/bash-completion/completions/hookline': printed('completion', 'bash'),
    'usr/share/zsh/vendor-completions/_hookline': printed('completion', 'zsh'),
    'usr/share/fish/vendor_completions.d/hookline.fish': printed('completion', 'fish'),
    'usr/lib/systemd/user/hookline.service': printed('packaged-unit'),
    'usr/share/doc/hookline/copyright': `${readFileSync('LICENSE', 'utf8').trim()}\n\nWhat is compiled in has licences of its own:\n\n${readFileSync('dist/THIRD-PARTY.md', 'utf8')}`,
    'usr/share/doc/hookline/changelog.gz': compressed(readFileSync('CHANGELOG.md', 'utf8')),
  }
}

/** @param {string} root @returns {string[]} paths of its files, relative, sorted */
function filesBelow(root) {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** As every umask leaves it: directories and the program for all to read, one file to run. @param {string} root */
function setModes(root) {
  chmodSync(root, 0o755)
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const runs = entry.isDirectory() || entry.name === 'hookline.cjs'
    chmodSync(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644)
  }
}

/**
 * @param {string} out the file
 * @param {{ rehearsal: boolean, seconds: number }} how `seconds`: the time of every file, since the epoch
 */
export function buildDeb(out, { rehearsal, seconds }) {
  const owner = readOwner({ rehearsal })
  const { version, description, node } = readPackage()
  const root = mkdtempSync(join(tmpdir(), 'hookline-deb-'))
  try {
    const program = join(root, 'usr/lib/hookline')
    mkdirSync(program, { recursive: true })
    for (const name of PROGRAM) cpSync(join('dist', name), join(program, name), { recursive: true })
    mkdirSync(join(root, 'usr/bin'))
    symlinkSync('../lib/hookline/hookline.cjs', join(root, 'usr/bin/hookline'))
    for (const [path, content] of Object.entries(madeFiles())) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    const contents = filesBelow(root).map((path) => ({ path, bytes: readFileSync(join(root, path)) }))
    const kibibytes = Math.ceil(contents.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1_024)
    mkdirSync(join(root, 'DEBIAN'))
    const [summary = '', ...rest] = description.replace(/\.$/, '').split(': ')
    const control = [
      'Package: hookline',
      `Version: ${version.replace('-', '~')}`,
      'Architecture: all',
      `Maintainer: ${owner.maintainer} <${owner.maintainerEmail}>`,
      `Installed-Size: ${kibibytes}`,
      `Depends: nodejs (>= ${node})`,
      'Section: net',
      'Priority: optional',
      `Homepage: ${owner.homepage}`,
      `Description: ${summary[0]?.toLowerCase()}${summary.slice(1)}`,
      ` ${rest.join(': ')}.`,
    ]
    writeFileSync(join(root, 'DEBIAN/control'), `${control.join('\n')}\n`)
    const sums = contents.map(({ path, bytes }) => `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`)
    writeFileSync(join(root, 'DEBIAN/md5sums'), sums.join(''))
    setModes(root)
    mkdirSync(dirname(resolve(out)), { recursive: true })
    rmSync(out, { force: true })
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, out], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: `${seconds}` },
    })
  } finally {
    rmSync(root, { recursive: true })
  }
}
