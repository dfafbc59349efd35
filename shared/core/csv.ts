// CSV as spreadsheets read it (RFC 4180, with a byte order mark so that Excel detects UTF-8). Pure.

export const CSV_START = '\ufeff'

export type CsvCell = string | number | null

/** One line, including its line end. */
export const formatCsvLine = (cells: readonly CsvCell[]): string => `${cells.map(formatCsvCell).join(',')}\r\n`

/**
 * Spreadsheets execute text that begins like a formula (X3), so an apostrophe marks it as text. Signed numbers stay
 * unchanged; for phone numbers, `formatPhoneCell` keeps the sign.
 * A spreadsheet with other separators splits cells at them and at line ends, so text after those is escaped as well.
 */
export function formatCsvCell(value: CsvCell): string {
  if (value === null) return ''
  const text = typeof value === 'number' ? formatCsvNumber(value) : value
  const isFormula = /^[\s\u00a0\ufeff]*[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  const safe = (isFormula ? `'${text}` : text).replace(AFTER_A_CUT, "$1'").replaceAll('\0', '')
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const DIGITS = 6
const PARTS = 10 ** DIGITS
/** Above this, more digits would follow the decimal point than the number's precision has. */
const LARGE = 1e9

/**
 * Writes a number without an exponent and with at most six decimals. `toFixed` avoids V8's number-to-string cache,
 * which holds 24 bytes and more per number until the next full collection.
 */
function formatCsvNumber(value: number): string {
  if (!(Math.abs(value) < LARGE)) return String(value)
  const rounded = Math.round(value * PARTS) / PARTS
  if (Number.isInteger(rounded)) return String(rounded)
  const text = rounded.toFixed(DIGITS)
  let end = text.length
  while (text[end - 1] === '0') end--
  return text.slice(0, end)
}

/** Marks a phone number as text: a spreadsheet would drop its plus sign, and digits of a long one. */
export const formatPhoneCell = (phone: string | null): string | null => (phone?.startsWith('+') ? `'${phone}` : phone)

/**
 * Marks a code such as a SKU as text where a spreadsheet would change it: `00123` loses zeros, `1E5` becomes 100000,
 * `3/4` and `MAR-1` become dates, and digits after the 15th become zeros.
 */
export const formatCodeCell = (code: string | null): string | null =>
  code !== null && IS_CHANGED.test(code) ? `'${code}` : code

const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const DAYS = String.raw`\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?|\d{1,4}\.\d{1,2}\.\d{1,4}|(?:${MONTHS})[ ./-]?\d{1,4}`
const IS_CHANGED = new RegExp(String.raw`^(?:[+-]?0\d.*|\d{16,}|\d+(?:\.\d+)?e[+-]?\d+|${DAYS})$`, 'i')

const AFTER_A_CUT = /([;|\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/g
