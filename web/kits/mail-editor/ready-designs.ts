import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { completeMail } from './convert.ts'

export interface ReadyDesign {
  name: string
  document: MailDocument
}

/** Loaded apart: the texts of all languages are as large as the editor's own. */
export async function loadDesigns(language: string): Promise<ReadyDesign[]> {
  const { listDesignInputs } = await import('../../../shared/messages/designs/designs.ts')
  return listDesignInputs(language).map(({ name, document }) => ({ name, document: completeMail(document) }))
}
