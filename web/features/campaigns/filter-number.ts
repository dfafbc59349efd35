import { type AudienceFilters, audienceTexts } from '../../../shared/marketing/audience.ts'

// Parses the number fields of the filters. Pure.

export interface ParsedNumber {
  /** null: any. NaN: invalid in this field. */
  value: number | null
  problem?: string
}

/** Maximum of each field, as on the server (`shared/marketing/audience.ts`). */
export function parseFilterNumber(typed: string, decimals: number): ParsedNumber {
  const text = typed.trim()
  if (text === '') return { value: null }
  const rejectNumber = (problem: string): ParsedNumber => ({ value: Number.NaN, problem })
  if (/^-\s*[\d.,]+$/.test(text)) return rejectNumber(audienceTexts.negative)
  if (/^[\d.]*,[\d.,]*$/.test(text)) return rejectNumber(audienceTexts.comma)
  const [, whole, rest = ''] = /^(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === undefined || !/\d/.test(text)) return rejectNumber(audienceTexts.noNumber)
  if (rest.length > decimals) return rejectNumber(decimals === 0 ? audienceTexts.wholeOnly : describeDecimals(decimals))
  return { value: Number(text) }
}

const describeDecimals = (decimals: number) =>
  `Enter at most ${decimals} ${decimals === 1 ? 'digit' : 'digits'} after the point.`

type Numbers = Partial<Record<NumberName, string>>
export type NumberName = 'minCartValue' | 'maxCartValue' | 'minAbandonTime' | 'maxAbandonTime'

/** Errors of single number fields and of minimum-maximum pairs. */
export function checkNumbers(filters: AudienceFilters): Numbers {
  const { minCartValue, maxCartValue, minAbandonTime, maxAbandonTime } = filters
  const isAbove = (least?: number | null, most?: number | null) => least != null && most != null && least > most
  const found: Numbers = {}
  for (const [name, value] of Object.entries({ minCartValue, maxCartValue, minAbandonTime, maxAbandonTime })) {
    if (Number.isNaN(value ?? 0)) found[name as NumberName] = audienceTexts.noNumber
  }
  if (isAbove(minCartValue, maxCartValue)) found.maxCartValue = audienceTexts.badRange
  if (isAbove(minAbandonTime, maxAbandonTime)) found.maxAbandonTime = audienceTexts.badRange
  return found
}
