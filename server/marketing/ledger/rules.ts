import {
  type ConsentEvidence,
  type ImportStanding,
  importReasons,
  type Unproven,
} from '../../../shared/marketing/ledger.ts'

// Texts of the consent ledger. Pure.

/** The proof of a row beyond the consent text. */
export function describeEvidence(evidence: ConsentEvidence | null, isConfirmed: boolean): string[] {
  const { given, line, language, reason, note, unproven, said } = evidence ?? {}
  return [
    ...(isConfirmed ? ['Confirmed by a reply from the phone'] : []),
    ...(unproven ? [unprovenText[unproven]] : []),
    ...(given ? [`Consent given: ${given}`] : []),
    ...(said ? [`The file says: ${importReasons[said]}`] : []),
    ...(line ? [`Line ${line} of the file`] : []),
    ...(language ? [`Shown in ${languageText[language] ?? language}`] : []),
    ...(reason ? [`Reason: ${reasonText[reason] ?? reason}`] : []),
    ...(note ? [`Note: ${note}`] : []),
  ]
}

const unprovenText: Record<Unproven, string> = {
  'page script': 'Not verified: reported by the shop’s page; anyone can fake such a report',
  'account page': 'Not verified: entered on the shop’s account page, and this customer had not ordered with it',
  'unpaid order': 'Not verified: from an order not paid or confirmed; anyone can start an order with any address',
}

/** Why a row of an import does not count. */
export const standingTexts: Record<ImportStanding, readonly string[]> = {
  stands: [],
  doubted: ['Does not count until its import is kept: the file may say that this person opted out'],
  undone: ['Does not count: its import was undone'],
}

const languageText: Record<string, string> = { en: 'English', de: 'German' }

const reasonText: Record<string, string> = {
  too_many: 'too many messages',
  not_interested: 'not interested',
  bought_elsewhere: 'bought somewhere else',
  never_asked: 'never asked for them',
  other: 'something else',
}

export const isImportId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
