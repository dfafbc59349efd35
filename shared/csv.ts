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
  const text = String(value)
  const isFormula = /^[\s\u00a0\ufeff]*[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  const safe = (isFormula ? `'${text}` : text).replace(AFTER_A_CUT, "$1'").replaceAll('\0', '')
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A phone number that a spreadsheet leaves alone: as a number it would lose its plus sign, and digits where it is long. */
export const phoneCell = (phone: string | null): string | null => (phone?.startsWith('+') ? `'${phone}` : phone)

const AFTER_A_CUT = /([;|\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/g
