// Builds this commit twice, in two folders, and compares what would be released byte for byte. `npm run release:rehearse`; minutes.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const git = (/** @type {string[]} */ ...words) => execFileSync('git', words, { encoding: 'utf8' }).trim()
const commit = git('rev-parse', 'HEAD')
const env = { ...process.env, HOOKLINE_COMMIT: commit, SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct') }

/** @param {string} folder @returns {string} the checksums of what was built there */
function buildIn(folder) {
  mkdirSync(folder, { recursive: true })
  execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C "$1"', 'sh', folder])
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const run = (/** @type {string[]} */ ...words) =>
    execFileSync(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  run('scripts/build.mjs')
  run('scripts/build-types.mjs')
  run('scripts/release/assemble.mjs', '--rehearsal', '--only', 'npm', '--only', 'deb', '--only', 'sbom')
  return readFileSync(join(folder, 'dist-release/SHA256SUMS'), 'utf8')
}

const work = mkdtempSync(join(tmpdir(), 'hookline-rehearse-'))
try {
  const [first, second] = [buildIn(join(work, 'one')), buildIn(join(work, 'another-place/two'))]
  if (first !== second) {
    process.stderr.write(`error: two builds of ${commit} differ\n${first}\n${second}`)
    process.exitCode = 1
  } else {
    process.stdout.write(`two builds of ${commit} are equal\n${first}`)
  }
} finally {
  rmSync(work, { recursive: true })
}
