import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvCell, csvLine } from './csv.ts'

test('nothing from a shop is a formula to a spreadsheet (X3)', () => {
  for (const text of ['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '\t=1', ' =1', '＝1', '\ufeff=1', '\r=1']) {
    expect(csvCell(text).replace(/^"/, ''), text).toMatch(/^'/)
  }
  for (const text of ['+12125550100', '-3', '12.50', 'Ada', "O'Neil", '', 'a=b', '5 - 3'])
    expect(csvCell(text)).toBe(text)
})

test('nor is it one to a spreadsheet that cuts at other signs than commas (X3)', () => {
  for (const [text, safe] of [
    ['a;=HYPERLINK(1)', "a;'=HYPERLINK(1)"],
    ['a\t@SUM(A1)', "a\t'@SUM(A1)"],
    ['a|+1+1', "a|'+1+1"],
    ['a; "=1', `"a; ""'=1"`],
    ['a\n=1', `"a\n'=1"`],
  ] as const) {
    expect(csvCell(text)).toBe(safe)
  }
  expect(csvCell('a; b = c')).toBe('a; b = c')
})

test('quotes, commas and line ends stay inside their cell', () => {
  expect(csvLine(['a "b", c', 'x\ny', 3, null])).toBe('"a ""b"", c","x\ny",3,\r\n')
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 2 }), { minLength: 1, maxLength: 5 }), (cells) => {
      const safe = cells.map((cell) => (csvCell(cell).startsWith('"') ? read(csvCell(cell))[0] : csvCell(cell)))
      expect(read(csvLine(cells).slice(0, -2))).toEqual(safe)
    }),
  )
})

/** As a spreadsheet reads a line. */
const read = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]+))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? bare : quoted.replaceAll('""', '"'),
  )
