import { Readable } from 'node:stream'
import { setImmediate as breathe } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { MAX_IMPORT_BYTES, MAX_IMPORT_ROWS } from '../../../shared/marketing/ledger.ts'
import { AppError, chunked } from '../../core/common/public.ts'

// Parses a CSV file as spreadsheets write it: any usual delimiter, in UTF-8 or Excel's Western encoding.

export interface Table {
  delimiter: string
  columns: string[]
  rows: string[][]
  /** Number of lines above the headings. */
  skipped: number
}

/** Reads a stream up to the size limit of a file. */
export async function decodeText(body: unknown): Promise<string> {
  if (!isStream(body)) throw new AppError('invalid', 'Choose a CSV file.')
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += (part as Buffer).length
    if (size > MAX_IMPORT_BYTES) {
      throw new AppError(
        'too_large',
        `A file holds at most ${MAX_IMPORT_BYTES / 1024 / 1024} MB. Split it and upload its parts.`,
      )
    }
    parts.push(part as Buffer)
  }
  return decodeFile(parts)
}

const isStream = (body: unknown): body is Readable =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

async function decodeFile(parts: readonly Buffer[]): Promise<string> {
  const start = Buffer.concat(parts.slice(0, 2).map((part) => part.subarray(0, 2)))
  const mark = start.subarray(0, 2).toString('hex')
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  try {
    return await decodeParts(new TextDecoder(encoding, { fatal: true }), parts)
  } catch {
    return decodeParts(new TextDecoder('windows-1252'), parts)
  }
}

async function decodeParts(decoder: TextDecoder, parts: readonly Buffer[]): Promise<string> {
  let text = ''
  for await (const piece of chunked(parts, PARTS_DECODED)) {
    // PostgreSQL's text type cannot hold NUL.
    for (const part of piece) text += decoder.decode(part, { stream: true }).replaceAll('\0', '')
  }
  return text + decoder.decode()
}

/** Network chunks have at most 64 KB. */
const PARTS_DECODED = 8

/**
 * The first line names the columns. Parses in slices and yields between them; throws a readable error at the first
 * problem.
 */
export async function parseTable(text: string, separator?: string): Promise<Table> {
  const delimiter = separator ?? (await detectDelimiter(text))
  const rows: string[][] = []
  for await (const row of parseRows(text, delimiter)) {
    if (rows.length > MAX_IMPORT_ROWS) {
      throw new AppError('too_large', `A file holds at most ${MAX_IMPORT_ROWS.toLocaleString('en-US')} rows. Split it.`)
    }
    rows.push(row.slice(0, MAX_COLUMNS))
    if (rows.length % YIELD_ROWS === 0) await breathe()
  }
  const skipped = titleLines(rows)
  rows.splice(0, skipped)
  const columns = (rows.shift() ?? []).map((name, index) => name.trim() || `Column ${index + 1}`)
  if (columns.length === 0) throw new AppError('invalid', 'The file is empty.')
  if (rows.length === 0)
    throw new AppError('invalid', 'The file has only one line. The first line must contain the column names.')
  return { delimiter, columns, rows, skipped }
}

const MAX_TITLE_LINES = 5

/**
 * A title or Excel's `sep=;` above the headings would hide what the columns mean. In a file with one column, the first
 * line is its heading.
 */
function titleLines(rows: readonly string[][]): number {
  const filled = (row: readonly string[] | undefined) => row?.filter((cell) => cell.trim() !== '').length ?? 0
  const head = rows.slice(0, MAX_TITLE_LINES + 1)
  const first = head.findIndex((row) => filled(row) > 1)
  // A line with an address is data: the headings are above it.
  return first > 0 && !head[first]!.some((cell) => /@|^\s*\+?\d{7,}/.test(cell)) ? first : 0
}

const MAX_COLUMNS = 200
/** Allows 200 columns, some with the text of a consent. */
const LONGEST_ROW = 256 * 1024
/** One to three milliseconds of parsing. */
const SLICE = 16 * 1024
const YIELD_ROWS = 500
/** The part from which the delimiter is guessed. */
const HEAD = 64 * 1024

const options = {
  bom: true,
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  max_record_size: LONGEST_ROW,
} as const

async function* parseRows(text: string, delimiter: string): AsyncGenerator<string[]> {
  const parser = parse({ ...options, delimiter })
  const reading = Readable.from(splitSlices(text))
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
  try {
    for await (const row of reading) yield row as string[]
  } catch (error) {
    throw toReadableError(error)
  }
}

/** Yields to other work between slices, even if no slice completes a row. */
async function* splitSlices(text: string): AsyncGenerator<string> {
  let lineStart = 0
  for (let at = 0; at < text.length; at += SLICE) {
    const slice = text.slice(at, at + SLICE)
    const lineEnd = Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf('\r'))
    if (lineEnd >= 0) lineStart = at + lineEnd + 1
    // The parser's limit counts cell contents only; a row of delimiters has none.
    if (at + slice.length - lineStart > LONGEST_ROW) throw tooLong()
    yield slice
    await breathe()
  }
}

function toReadableError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  return error.code === 'CSV_MAX_RECORD_SIZE'
    ? tooLong()
    : new AppError('invalid', 'The file cannot be read as CSV. Is a closing quotation mark missing?')
}

const tooLong = () =>
  new AppError('invalid', `A row is longer than ${LONGEST_ROW / 1024} KB. Is a closing quotation mark missing?`)

/** The delimiter that splits the first lines into the most columns, equally many in each. */
async function detectDelimiter(text: string): Promise<string> {
  const head = text.slice(0, HEAD)
  const lines = head.length < text.length ? head.slice(0, head.lastIndexOf('\n') + 1) : head
  const scored: { delimiter: string; score: number }[] = []
  for await (const [delimiter] of chunked([',', ';', '\t', '|'], 1)) {
    scored.push({ delimiter: delimiter!, score: scoreDelimiter(lines, delimiter!) })
  }
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).delimiter
}

function scoreDelimiter(lines: string, delimiter: string): number {
  try {
    const counts = parseNow(lines, { ...options, delimiter, to: 20 }).map((row) => (row as unknown as string[]).length)
    const sizes = [...Map.groupBy(counts, (count) => count)].sort((a, b) => b[1].length - a[1].length)
    const [usual, same] = sizes[0] ?? [0, []]
    return usual > 1 ? usual / (1 + counts.length - same.length) : 0
  } catch {
    return 0
  }
}
