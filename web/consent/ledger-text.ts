import type { ImportMapping, LedgerChannel } from '../../shared/ledger.ts'

// Words and small sums of the ledger's screens. Pure.

export const channelText: Record<LedgerChannel, string> = {
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'Browser notification',
}

/** Somebody of whom only the hash is known can still be told from others. */
export const personText = (who: string | null, person: string): string => who ?? `Person ${person}`

/** Whole percents, and never done before it is. */
export const progressOf = (done: number, total: number): number =>
  total === 0 ? 100 : Math.min(done < total ? 99 : 100, Math.round((done / total) * 100))

/** What still has to be said of a file before its rows prove anything; null: nothing. */
export function mappingGap(mapping: ImportMapping): string | null {
  if (mapping.date === null)
    return 'Choose the column with each person’s opt-in date. Without a date, an opt-in proves nothing.'
  if (mapping.source === null && mapping.sourceForAll === '') {
    return 'Choose the column with each person’s source, or enter one source for the whole file below.'
  }
  return null
}
