import {
  getSourceText,
  type ImportMapping,
  type ImportPreview,
  type ImportReason,
  importReasons,
  type LedgerChannel,
  type LedgerEntry,
  type RowStatus,
  statusText,
} from '../../../shared/marketing/ledger.ts'

// Texts and small calculations of the ledger's screens. Pure.

export const channelText: Record<LedgerChannel, string> = {
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'Browser notification',
}

/** Hash-only entries stay distinguishable by a short form of the hash. */
export const formatPerson = (who: string | null, person: string): string => who ?? `Person ${person}`

/** Source and evidence of an entry. Evidence that says why it is not verified replaces the source's short form of it. */
export function describeEvidence({ source, evidence }: Pick<LedgerEntry, 'source' | 'evidence'>): string {
  const isExplained = evidence.some((text) => text.startsWith('Not verified'))
  const name = getSourceText(source)
  return [isExplained ? name.split(', not verified:')[0] : name, ...evidence].join(' · ')
}

/** Whole percents; 100 only when complete. */
export const computeProgress = (done: number, total: number): number =>
  total === 0 ? 100 : Math.min(done < total ? 99 : 100, Math.round((done / total) * 100))

export const rowStatusText: Record<RowStatus, string> = {
  granted: statusText.granted,
  withdrawn: statusText.withdrawn,
  suppressed: 'Suppressed',
}

/** Result of a row, with the reason. */
export const describeOutcome = ({
  status,
  reason,
}: {
  status: RowStatus | null
  reason: ImportReason | null
}): string => [status ? rowStatusText[status] : '–', reason && importReasons[reason]].filter(Boolean).join(': ')

/** For files without a consent column. */
export const needsRowMeaning = ({ optOutColumns }: Pick<ImportPreview, 'optOutColumns'>): string =>
  optOutColumns.length > 0 ? 'What does every other row mean?' : 'What does every row mean?'

/** What is still missing before the file's rows count as evidence; null if complete. */
export function findMappingGap(
  mapping: ImportMapping,
  { statesConsent, optOutColumns }: Pick<ImportPreview, 'statesConsent' | 'optOutColumns'>,
): string | null {
  if (!statesConsent && mapping.statusForAll === null) {
    return `Choose above: ${needsRowMeaning({ optOutColumns })}`
  }
  // An opt-out needs no evidence.
  if (!statesConsent && mapping.statusForAll === 'withdrawn') return null
  if (mapping.date === null)
    return 'Choose the column with each person’s opt-in date. Without a date, an opt-in proves nothing.'
  if (mapping.source === null && mapping.sourceForAll === '') {
    return 'Choose the column with each person’s source, or enter one source for the whole file below.'
  }
  return null
}
