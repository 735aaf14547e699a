// Builds this commit twice, in two folders, and compares what would be released byte for byte. `npm run release:rehearse`; minutes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const git = (/** @type {string[]} */ ...words) => execFileSync('git', words, { encoding: 'utf8' }).trim()
const commit = git('rev-parse', 'HEAD')
const env = { ...process.env, HOOKLINE_COMMIT: commit, SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct') }

/** @param {string} folder @returns {string} the checksums of what was built there */
function buildIn(folder) {
  mkdirSync(folder, { recursive: true })
  execFileSync('sh', ['-c', 'git archive "$2" | tar -x -C "$1"', 'sh', folder, commit])
  // Not a link to the folder: bundles name the modules by the way to them.
  execFileSync('cp', ['-a', '--link', 'node_modules', folder])
  const run = (/** @type {string[]} */ ...words) =>
    execFileSync(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  run('scripts/build.mjs')
  run('scripts/build-types.mjs')
  run('scripts/release/assemble.mjs', '--rehearsal', '--only', 'npm', '--only', 'deb', '--only', 'sbom')
  return readFileSync(join(folder, 'dist-release/SHA256SUMS'), 'utf8')
}

/** @param {string} folder @returns {ReadonlyMap<string, string>} path in dist → hash, without V8's code, which is not released */
function builtIn(folder) {
  const entries = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.code'))
  const hash = (/** @type {string} */ path) => createHash('sha256').update(readFileSync(path)).digest('hex')
  return new Map(
    files.map(({ parentPath, name }) => [relative(folder, join(parentPath, name)), hash(join(parentPath, name))]),
  )
}

// On the disk of node_modules, whose files are linked and not copied.
mkdirSync('dist-release', { recursive: true })
const work = mkdtempSync(resolve('dist-release/rehearse-'))
try {
  const folders = [join(work, 'one'), join(work, 'another-place/two')]
  const [first, second] = folders.map(buildIn)
  if (first !== second) {
    const [one, two] = folders.map(builtIn)
    const paths = new Set([...(one?.keys() ?? []), ...(two?.keys() ?? [])])
    const different = [...paths].filter((path) => one?.get(path) !== two?.get(path))
    process.stderr.write(`error: two builds of ${commit} differ\n${first}\n${second}\n${different.join('\n')}\n`)
    process.exitCode = 1
  } else {
    process.stdout.write(`two builds of ${commit} are equal\n${first}`)
  }
} finally {
  rmSync(work, { recursive: true })
}
