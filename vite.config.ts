// Builds the console, src/web → dist/web. What can be typed is taken from the command table itself, so that completion never lags
// behind it; the table stays out of the bundle.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { commands } from './src/commands/catalogue.ts'
import { isFamily, namesOf } from './src/commands/kit/resolve.ts'
import { mayRun } from './src/commands/kit/where.ts'

const typeable = commands.flatMap((command) => {
  const forms = isFamily(command) ? command.forms.filter(({ where }) => mayRun(where, 'web')) : undefined
  const canBeTyped = isFamily(command) ? forms?.length : mayRun(command.where, 'web')
  return canBeTyped ? [{ names: namesOf(command), forms: forms?.map(({ name }) => name) ?? [] }] : []
})

export default defineConfig({
  root: fileURLToPath(new URL('./src/web', import.meta.url)),
  base: '/',
  plugins: [react()],
  define: { __COMMANDS__: JSON.stringify(typeable) },
  build: {
    outDir: fileURLToPath(new URL('./dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // An inlined script or style would need a hole in the page's content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // xterm.js changes far less often than we do, and stays in the browser's cache when we do.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'xterm', test: /@xterm/ }] } } },
  },
})
