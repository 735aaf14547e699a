// The declarations of `hookline/client`, for the package: what the compiler wrote for src/client, src/protocol and src/base, with the imports
// pointing at files that a package has.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

execFileSync('npx', ['tsc', '-b', 'tsconfig.browser.json'], { stdio: 'inherit' })
rmSync('dist/types', { recursive: true, force: true })
for (const [environment, folder] of [
  ['browser', 'client'],
  ['pure', 'protocol'],
  ['pure', 'base'],
]) {
  const from = `.tsbuild/${environment}/src/${folder}`
  mkdirSync(`dist/types/${folder}`, { recursive: true })
  for (const file of readdirSync(from).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(`${from}/${file}`, 'utf8').replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'")
    writeFileSync(`dist/types/${folder}/${file}`, text)
  }
}
