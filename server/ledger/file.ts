import type { Readable } from 'node:stream'
import Papa from 'papaparse'
import { IMPORT_MOST_BYTES, IMPORT_MOST_ROWS } from '../../shared/ledger.ts'
import { AppError } from '../errors.ts'

// A CSV file as spreadsheets write it: any usual delimiter, UTF-8 or what Excel writes in the West.

export interface Table {
  delimiter: string
  columns: string[]
  rows: string[][]
}

/** Read as it comes, and no further than a file may be long. */
export async function textOf(body: unknown): Promise<string> {
  if (!isStream(body)) throw new AppError('invalid', 'Choose a CSV file.')
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += (part as Buffer).length
    if (size > IMPORT_MOST_BYTES) {
      throw new AppError(
        'too_large',
        `A file holds at most ${IMPORT_MOST_BYTES / 1024 / 1024} MB. Split it and upload its parts.`,
      )
    }
    parts.push(part as Buffer)
  }
  return decoded(Buffer.concat(parts))
}

const isStream = (body: unknown): body is Readable =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

function decoded(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  try {
    const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
    // PostgreSQL's text holds no NUL, and no file of words does.
    return text.replaceAll('\0', '')
  } catch {
    return new TextDecoder('windows-1252').decode(bytes).replaceAll('\0', '')
  }
}

/** The first line names the columns. Throws in words where there is nothing to read. */
export function tableOf(text: string, delimiter?: string): Table {
  const parsed = Papa.parse<string[]>(text, {
    ...(delimiter && { delimiter }),
    delimitersToGuess: [',', ';', '\t', '|'],
    skipEmptyLines: 'greedy',
  })
  const [head, ...rows] = parsed.data
  const columns = (head ?? []).slice(0, MOST_COLUMNS).map((name, index) => name.trim() || `Column ${index + 1}`)
  if (columns.length === 0) throw new AppError('invalid', 'The file is empty.')
  if (rows.length === 0) throw new AppError('invalid', 'The file has one line only. The first line names the columns.')
  if (rows.length > IMPORT_MOST_ROWS) {
    throw new AppError('too_large', `A file holds at most ${IMPORT_MOST_ROWS.toLocaleString('en-US')} rows. Split it.`)
  }
  return { delimiter: parsed.meta.delimiter, columns, rows }
}

const MOST_COLUMNS = 200
