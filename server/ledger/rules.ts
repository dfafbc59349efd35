import type { ConsentEvidence } from '../../shared/ledger.ts'

// Words for the ledger, and where a page of it begins. Pure.

/** What proves a row beyond its wording, in words. */
export function evidenceWords(evidence: ConsentEvidence | null, isConfirmed: boolean): string[] {
  const { given, line, language, reason, note } = evidence ?? {}
  return [
    ...(isConfirmed ? ['Confirmed by an answer from the phone'] : []),
    ...(given ? [`Given: ${given}`] : []),
    ...(line ? [`Line ${line} of the file`] : []),
    ...(language ? [`Read in ${languageWords[language] ?? language}`] : []),
    ...(reason ? [`Reason: ${reasonWords[reason] ?? reason}`] : []),
    ...(note ? [`Note: ${note}`] : []),
  ]
}

const languageWords: Record<string, string> = { en: 'English', de: 'German' }

const reasonWords: Record<string, string> = {
  too_many: 'too many messages',
  not_interested: 'not interested',
  bought_elsewhere: 'bought somewhere else',
  never_asked: 'never asked for them',
  other: 'something else',
}

export const cursorOf = (row: { at: Date; id: string }): string => `${row.at.getTime()}_${row.id}`

/** null: no cursor of ours. */
export function readCursor(text: string | undefined): { at: Date; id: string } | null {
  const [, ms, id] = /^(\d{1,15})_([0-9a-f-]{36})$/.exec(text ?? '') ?? []
  return ms && id ? { at: new Date(Number(ms)), id } : null
}

export const isImportId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
