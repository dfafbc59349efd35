import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCodeCell, formatCsvCell, formatCsvLine } from './csv.ts'

test('formatCsvCell escapes formulas in shop data (X3)', () => {
  for (const text of ['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '\t=1', ' =1', '＝1', '\ufeff=1', '\r=1']) {
    expect(formatCsvCell(text).replace(/^"/, ''), text).toMatch(/^'/)
  }
  for (const text of ['+12125550100', '-3', '12.50', 'Ada', "O'Neil", '', 'a=b', '5 - 3'])
    expect(formatCsvCell(text)).toBe(text)
})

test('formatCsvCell escapes formulas after other separators than commas (X3)', () => {
  for (const [text, safe] of [
    ['a;=HYPERLINK(1)', "a;'=HYPERLINK(1)"],
    ['a\t@SUM(A1)', "a\t'@SUM(A1)"],
    ['a|+1+1', "a|'+1+1"],
    ['a; "=1', `"a; ""'=1"`],
    ['a\n=1', `"a\n'=1"`],
  ] as const) {
    expect(formatCsvCell(text)).toBe(safe)
  }
  expect(formatCsvCell('a; b = c')).toBe('a; b = c')
})

test('formatCodeCell marks a code as text that a spreadsheet would read as a number or date', () => {
  for (const code of ['00123', '1E5', '12345678901234567890', '3/4', '12-01', '2026-11', '1.2.2026', 'MAR-1', 'Dec2']) {
    expect(formatCodeCell(code)).toBe(`'${code}`)
  }
  for (const code of ['4006381333931', '17', '0', 'MUG-1', 'MC-CUP', 'TEA-001', '1.5', 'MARBLE-1', '7E', '', null]) {
    expect(formatCodeCell(code)).toBe(code)
  }
})

test('formatCsvLine keeps quotes, commas and line ends inside their cell', () => {
  expect(formatCsvLine(['a "b", c', 'x\ny', 3, null])).toBe('"a ""b"", c","x\ny",3,\r\n')
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 2 }), { minLength: 1, maxLength: 5 }), (cells) => {
      const safe = cells.map((cell) =>
        formatCsvCell(cell).startsWith('"') ? read(formatCsvCell(cell))[0] : formatCsvCell(cell),
      )
      expect(read(formatCsvLine(cells).slice(0, -2))).toEqual(safe)
    }),
  )
})

test('formatCsvCell writes numbers without an exponent and with at most six decimals, and large numbers unchanged', () => {
  for (const [value, text] of [
    ...([
      [0.1, '0.1'],
      [-2.5, '-2.5'],
      [1 / 3, '0.333333'],
      [1e-7, '0'],
      [-1e-7, '0'],
      [0.000_001, '0.000001'],
    ] as const),
    ...([
      [1_234.56, '1234.56'],
      [17, '17'],
      [-0, '0'],
      [90_071_992_547.41, '90071992547.41'],
    ] as const),
  ]) {
    expect(formatCsvCell(value)).toBe(text)
  }
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (minor) => {
      expect(formatCsvCell(minor / 100)).toBe(String(minor / 100))
    }),
  )
})

/** Parses a line as a spreadsheet does. */
const read = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]+))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? bare : quoted.replaceAll('""', '"'),
  )
