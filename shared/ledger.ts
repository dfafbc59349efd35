import { z } from 'zod'

// The consent ledger as its owner sees it, and the import of consents given elsewhere (C5).

/** What proves a row of the ledger beyond its wording and its time. */
export interface ConsentEvidence {
  /** Of the preference page. */
  reason?: string
  note?: string
  language?: string
  /** Of an import: which, which line of its file, and what the file says of where the consent was given. */
  importId?: string
  line?: number
  given?: string
}

export const ImportMapping = z.object({ address: z.number().int().min(0) })
export type ImportMapping = z.infer<typeof ImportMapping>
