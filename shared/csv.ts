// Comma-separated values as spreadsheets read them (RFC 4180, with a byte order mark so that Excel sees UTF-8). Pure.

export const CSV_START = '\ufeff'

export type CsvCell = string | number | null

/** One line with its end. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/**
 * A spreadsheet runs what begins like a formula (X3): such text gets an apostrophe before it, as spreadsheets mark text themselves.
 * Numbers with their sign can only be read as numbers and stay as they are; where they are phone numbers, `phoneCell` keeps the sign. A spreadsheet that expects other
 * separators cuts a cell at them, and at its line ends, so what follows these is a beginning too.
 */
export function csvCell(value: CsvCell): string {
  if (value === null) return ''
  const text = typeof value === 'number' ? csvNumber(value) : value
  const isFormula = /^[\s\u00a0\ufeff]*[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  const safe = (isFormula ? `'${text}` : text).replace(AFTER_A_CUT, "$1'").replaceAll('\0', '')
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const DIGITS = 6
const PARTS = 10 ** DIGITS
/** From here on more digits would stand behind the point than a number is exact to. */
const LARGE = 1e9

/**
 * A number as every spreadsheet reads it: without an exponent, and with six digits behind the point at most. V8 keeps the text that `String`
 * makes of a fraction until its next full collection, which is 24 bytes and more for each number of a file; that of `toFixed` it does not.
 */
function csvNumber(value: number): string {
  if (!(Math.abs(value) < LARGE)) return String(value)
  const rounded = Math.round(value * PARTS) / PARTS
  if (Number.isInteger(rounded)) return String(rounded)
  const text = rounded.toFixed(DIGITS)
  let end = text.length
  while (text[end - 1] === '0') end--
  return text.slice(0, end)
}

/** A phone number that a spreadsheet leaves alone: as a number it would lose its plus sign, and digits where it is long. */
export const phoneCell = (phone: string | null): string | null => (phone?.startsWith('+') ? `'${phone}` : phone)

/**
 * A code, such as a SKU, that a spreadsheet leaves alone: `00123` would lose its zeros, `1E5` become 100000, `3/4` or `MAR-1` a day, and of more
 * than 15 digits the last ones would be zeros.
 */
export const codeCell = (code: string | null): string | null =>
  code !== null && IS_CHANGED.test(code) ? `'${code}` : code

const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const DAYS = String.raw`\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?|\d{1,4}\.\d{1,2}\.\d{1,4}|(?:${MONTHS})[ ./-]?\d{1,4}`
const IS_CHANGED = new RegExp(String.raw`^(?:[+-]?0\d.*|\d{16,}|\d+(?:\.\d+)?e[+-]?\d+|${DAYS})$`, 'i')

const AFTER_A_CUT = /([;|\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/g
