import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvCell, printable, renderCsv } from '../../src/language/printable.ts'

/** As RFC 4180 says, written down here a second time: fields are between commas, or between quotes that are doubled inside. */
function parseCsv(text: string): string[][] {
  return text.split('\n').map((line) => {
    const fields: string[] = []
    let rest = line
    for (;;) {
      const quoted = /^"((?:[^"]|"")*)"(,|$)/.exec(rest)
      const [whole, field = '', end] = quoted ?? /^([^",]*)(,|$)/.exec(rest) ?? []
      if (whole === undefined) throw new Error(`not CSV: ${line}`)
      fields.push(quoted === null ? field : field.replaceAll('""', '"'))
      rest = rest.slice(whole.length)
      if (end === '') return fields
    }
  })
}

describe('rows for spreadsheets', () => {
  it('come back as they were, whatever the cells hold', () => {
    const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a,b', 'a"b', '"', ' ', '', 'a\nb', '1,5'))
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 6 })
    fc.assert(
      fc.property(rows, (cells) => {
        const [header, ...found] = parseCsv(renderCsv(['a', 'b', 'c'], cells))
        expect(header).toEqual(['a', 'b', 'c'])
        expect(found.map((row) => row.map((each) => each.replace(/^'(?=\s*[=+\-@＝＋－＠])/, '')))).toEqual(
          cells.map((row) => row.map((each) => printable(each).replace(/^'(?=\s*[=+\-@＝＋－＠])/, ''))),
        )
      }),
    )
  })

  it('hold nothing that a spreadsheet runs: what begins like a formula begins with an apostrophe', () => {
    const starts = fc.constantFrom('=', '+', '-', '@', '\t=', '\r=', ' =', '＝', '＋', '－', '＠')
    fc.assert(
      fc.property(starts, fc.string(), (start, rest) => {
        const text = `${start}${rest}`
        fc.pre(!/^-?\d+(\.\d+)?$/.test(text))
        expect(csvCell(text)).toMatch(/^"?'/)
      }),
    )
  })

  it.each(['-1.5', '0', '65000.1', '-0.0000000001'])('leave the number %s a number', (number) => {
    expect(csvCell(number)).toBe(number)
  })

  it.each([
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['hook:a,b', '"hook:a,b"'],
    ['-1-1', "'-1-1"],
    ['+5', "'+5"],
    ['two\nlines', 'two lines'],
  ])('%s is %s', (text, cell) => {
    expect(csvCell(text)).toBe(cell)
  })
})
