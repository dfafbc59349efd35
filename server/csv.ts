// Comma-separated values as spreadsheets read them (RFC 4180, with a byte order mark so that Excel sees UTF-8). Pure.

export const CSV_START = '\ufeff'

/** One line with its end. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`

/**
 * A spreadsheet runs what begins like a formula (X3): such text gets an apostrophe before it, as spreadsheets mark text themselves.
 * Numbers with their sign, phone numbers among them, can only be read as numbers and stay as they are.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  const isFormula = /^[\s\u00a0\ufeff]*[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  const safe = (isFormula ? `'${text}` : text).replaceAll('\0', '')
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
