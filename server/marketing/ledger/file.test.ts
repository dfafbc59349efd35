import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { MAX_IMPORT_BYTES, MAX_IMPORT_ROWS } from '../../../shared/marketing/ledger.ts'
import { countLoopIterations } from '../../../test/event-loop.ts'
import { measureHeapBytes } from '../../../test/memory.ts'
import { decodeText, parseTable } from './file.ts'

describe('a spreadsheet export', () => {
  test.each([
    [',', 'a,b\n1,2\n'],
    [';', 'a;b\n"1,5";2\n'],
    ['\t', 'a\tb\r\n1\t2\r\n'],
    ['|', 'a|b\n1|2'],
  ])('with %j as delimiter is parsed', async (delimiter, text) => {
    const table = await parseTable(text)
    expect([table.delimiter, table.columns, table.rows.length]).toEqual([delimiter, ['a', 'b'], 1])
  })

  test('may have quotes, line breaks in quotes, missing or extra cells, empty lines and a byte order mark', async () => {
    const { columns, rows } = await parseTable(
      '\ufeffname,words\r\n"Ana ""A""","one\r\ntwo"\r\n\r\n , \r\nBo 5" tall\r\na,b,c\r\n',
    )
    expect(columns).toEqual(['name', 'words'])
    expect(rows).toEqual([['Ana "A"', 'one\r\ntwo'], ['Bo 5" tall'], ['a', 'b', 'c']])
  })

  test.each([
    ['a title', 'Newsletter export 2025\n\nEmail;Unsubscribed;Note\na@b.example;yes;x\n', ';', 1],
    [
      'a title that a spreadsheet has filled up',
      'Newsletter export,,\nEmail,Unsubscribed,Note\na@b.example,yes,x\n',
      ',',
      1,
    ],
    ['Excel’s line about the delimiter', 'sep=;\nEmail;Unsubscribed;Note\na@b.example;yes;x\n', ';', 1],
  ])('may have %s above its headings', async (_name, text, delimiter, skipped) => {
    const table = await parseTable(text)
    expect(table).toMatchObject({ delimiter, skipped, columns: ['Email', 'Unsubscribed', 'Note'] })
    expect(table.rows).toHaveLength(1)
  })

  test('with one named column starts with its heading', async () => {
    expect(await parseTable('Email\na@b.example\n')).toMatchObject({ skipped: 0, columns: ['Email'] })
    expect(await parseTable('Email,\na@b.example,x\n')).toMatchObject({ skipped: 0, columns: ['Email', 'Column 2'] })
  })

  test('without rows or with an unclosed quotation mark is rejected with an explanation', async () => {
    await expect(parseTable('')).rejects.toThrow('The file is empty.')
    await expect(parseTable('a,b\n')).rejects.toThrow('only one line')
    await expect(parseTable('a,b\n1,"2\n3,4\n')).rejects.toThrow('closing quotation mark')
  })
})

test('is read in chunks of a few hundred rows and yields after each', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `person${n}@shoppers.example;13.05.2024;Footer form;yes`)
  const text = `email;date;source;status\n${rows.join('\n')}`
  const ticks = countLoopIterations()
  const table = await parseTable(text)
  const count = ticks.stop()
  expect(table.rows).toHaveLength(20_000)
  expect(count).toBeGreaterThanOrEqual(text.length / 16_384)
})

test('split anywhere, even inside a character or byte order mark, is decoded as one text', async () => {
  const cut = (bytes: Buffer) => Readable.from(Array.from(bytes, (byte) => Buffer.from([byte])))
  const content = 'Größe;Jörg\n€;日本\n'
  expect(await decodeText(cut(Buffer.from(`\ufeff${content}\0`)))).toBe(content)
  expect(await decodeText(cut(Buffer.from(`\ufeff${content}`, 'utf16le')))).toBe(content)
  expect(await decodeText(cut(Buffer.from(`\ufeff${content}`, 'utf16le').swap16()))).toBe(content)
  expect(await decodeText(cut(Buffer.from('Größe;Jörg\n', 'latin1')))).toBe('Größe;Jörg\n')
  expect(await decodeText(cut(Buffer.from([0x61, 0xe2, 0x82])))).toBe('aâ‚')
})

describe('a file made to exhaust the server', () => {
  /** How often other work ran, and the peak of additional memory. */
  async function measureCost(text: string) {
    const before = measureHeapBytes()
    const ticks = countLoopIterations()
    let max = 0
    let nextSampleAt = 0
    const timer = setInterval(() => {
      const now = performance.now()
      if (now < nextSampleAt) return
      max = Math.max(max, measureHeapBytes() - before)
      // A measurement collects all garbage. If that is slow, most of the time still goes to the file.
      nextSampleAt = performance.now() + 4 * (performance.now() - now)
    }, 1)
    const outcome = await parseTable(text).then(
      ({ rows }) => rows.length,
      (error: Error) => error.message,
    )
    clearInterval(timer)
    return { outcome, ticks: ticks.stop(), mostMb: max / 1024 / 1024 }
  }

  test('of empty lines yields to other work', async () => {
    const { outcome, ticks } = await measureCost('\n'.repeat(9_500_000))
    expect(outcome).toBe('The file is empty.')
    expect(ticks).toBeGreaterThan(500)
  })

  test('with millions of lines is read up to the row limit and yields to other work', async () => {
    const { outcome, ticks, mostMb } = await measureCost('a\n'.repeat(9_500_000))
    expect(outcome).toBe(`A file holds at most ${MAX_IMPORT_ROWS.toLocaleString('en-US')} rows. Split it.`)
    expect(ticks).toBeGreaterThan(300)
    expect(mostMb).toBeLessThan(60)
  })

  test.each([
    ['one row of columns', `a\n${','.repeat(MAX_IMPORT_BYTES - 2)}`],
    ['one cell', `a\n${'x'.repeat(MAX_IMPORT_BYTES - 2)}`],
    ['one quotation', `a\n"${'x\n'.repeat(MAX_IMPORT_BYTES / 2 - 2)}`],
    ['quotation marks', `a\n${'"'.repeat(MAX_IMPORT_BYTES - 3)}`],
  ])('with %s is read up to the row length limit', async (_name, text) => {
    const { outcome, mostMb } = await measureCost(text)
    expect(outcome).toMatch(/longer than 256 KB/)
    expect(mostMb).toBeLessThan(60)
  })
})
