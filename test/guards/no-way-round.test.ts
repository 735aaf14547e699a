// No order passes beside the guard (behaviour 40): every place that calls what changes something at a venue is known, and so is every place
// that can have a venue which is not behind its guard.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** What of an `Exchange` changes something. */
const CHANGES = ['createOrder', 'editOrder', 'cancelOrder', 'cancelAllOrders', 'setLeverage', 'setMarginMode']

interface Use {
  readonly file: string
  readonly name: string
}

interface Source {
  readonly file: string
  readonly tree: ts.SourceFile
}

let sources: readonly Source[]

beforeAll(() => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  sources = files.map((name) => {
    const file = `src/${name}`
    const text = readFileSync(join(ROOT, file), 'utf8')
    return { file, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) }
  })
})

/** Inside an adapter it is the venue's own affair. */
function isAdapter(file: string): boolean {
  return file.startsWith('src/exchanges/')
}

function find(visit: (node: ts.Node) => string | undefined): Use[] {
  const found: Use[] = []
  for (const { file, tree } of sources) {
    const look = (node: ts.Node): void => {
      const name = visit(node)
      if (name !== undefined) found.push({ file, name })
      ts.forEachChild(node, look)
    }
    look(tree)
  }
  return found
}

/** By any spelling: `x.createOrder`, `x['createOrder']`, `const { createOrder } = x`. */
function usedName(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return node.argumentExpression.text
  }
  if (ts.isBindingElement(node)) return (node.propertyName ?? node.name).getText()
  return undefined
}

function importsOf(name: string): string[] {
  const uses = find((node) =>
    ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === name ? name : undefined,
  )
  // `const { openExchange } = await import(…)`.
  const loads = find((node) => (ts.isBindingElement(node) && usedName(node) === name ? name : undefined))
  return [...new Set([...uses, ...loads].map(({ file }) => file))].sort()
}

describe('what changes something at a venue', () => {
  it.each([
    ['createOrder', ['src/guards/guard-exchange.ts', 'src/trading/order-sender.ts']],
    ['editOrder', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts', 'src/trading/protection.ts']],
    ['cancelOrder', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts', 'src/trading/protection.ts']],
    ['cancelAllOrders', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts']],
    ['setMarginMode', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts']],
  ])('is called by name only in the guard and the desk: %s', (name, files) => {
    // `capabilities.editOrder` says whether the venue can.
    const uses = find((node) => {
      const isAsked = ts.isPropertyAccessExpression(node) && /capabilities$/.test(node.expression.getText())
      return usedName(node) === name && !isAsked ? name : undefined
    })
    expect([...new Set(uses.map(({ file }) => file).filter((file) => !isAdapter(file)))].sort()).toEqual(files)
  })

  it('is never reached by a name that is worked out', () => {
    const uses = find((node) => {
      if (!ts.isElementAccessExpression(node) || ts.isStringLiteralLike(node.argumentExpression)) return undefined
      return /(?:exchange|venue|raw)$/i.test(node.expression.getText()) ? node.getText() : undefined
    })
    expect(uses).toEqual([])
  })

  it('is all that the port has besides questions: a new one needs a line in the guard', () => {
    const port = sources.find(({ file }) => file === 'src/exchange/exchange.ts')
    const members: string[] = []
    const look = (node: ts.Node): void => {
      if (ts.isInterfaceDeclaration(node) && node.name.text === 'Exchange') {
        members.push(...node.members.map((member) => member.name?.getText() ?? ''))
      }
      ts.forEachChild(node, look)
    }
    if (port !== undefined) look(port.tree)
    expect(members.sort()).toEqual([...CHANGES, 'close'].sort())
  })
})

describe('a venue that is not behind its guard', () => {
  it('is had by the one place that puts it behind', () => {
    expect(importsOf('openExchange')).toEqual(['src/app/open-account.ts'])
    expect(importsOf('guardExchange')).toEqual(['src/app/open-account.ts'])
  })

  it('is made by adapters, for `openExchange` alone', () => {
    const makers = find((node) => {
      if (!ts.isFunctionDeclaration(node) || node.name === undefined || node.type === undefined) return undefined
      const isExported = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
      const makes = /^(?:Promise<)?Exchange\b(?! &? ?\|)/.test(node.type.getText())
      return isExported && makes ? node.name.text : undefined
    })
    const outside = makers.filter(({ file }) => !isAdapter(file)).map(({ name }) => name)
    expect(outside.sort()).toEqual(['guardExchange', 'openExchange'])
    for (const { name } of makers.filter(({ file }) => isAdapter(file))) {
      const users = importsOf(name).filter((file) => !isAdapter(file))
      expect([name, users]).toEqual([name, users.length === 0 ? [] : ['src/app/open-exchange.ts']])
    }
  })

  it('is in no hands but these: what else takes an `Exchange` is the guard, the desk and what the desk is made of', () => {
    const takers = importsOf('Exchange').filter((file) => !isAdapter(file))
    expect(takers).toEqual([
      'src/app/open-exchange.ts',
      'src/guards/guard-exchange.ts',
      'src/guards/guard-facts.ts',
      'src/guards/guard.ts',
      'src/trading/order-desk.ts',
      'src/trading/order-sender.ts',
      'src/trading/protection-ports.ts',
      'src/trading/protections.ts',
    ])
  })
})

describe('what lets an order pass a halt or simulation', () => {
  it.each([
    ['protects', ['src/trading/order-sender.ts', 'src/trading/protection-ports.ts']],
    ['flattens', ['src/commands/session/flatten.ts']],
    ['closes', ['src/commands/trading/send-exit.ts']],
  ])('is said in one place, and never by what comes from outside: %s', (name, files) => {
    const said = find((node) => {
      const isSaid = ts.isPropertyAssignment(node) && node.name.getText() === name
      return isSaid && node.initializer.kind === ts.SyntaxKind.TrueKeyword ? name : undefined
    })
    expect([...new Set(said.map(({ file }) => file))].sort()).toEqual(files)
  })
})
