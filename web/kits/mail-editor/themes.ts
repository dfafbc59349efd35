<<<<<<< HEAD:web/kits/mail-editor/themes.ts

import type { ThemeName } from '../../../shared/messages/mail-document.ts'

=======

import type { MailDocument, ThemeName } from '../../../shared/messages/mail-document.ts'
import { completeMail } from './convert.ts'

/** Loaded apart: the texts of all languages are as large as the editor's own. */
export async function loadDesigns(language: string): Promise<ReadyDesign[]> {
  const { listDesignInputs } = await import('../../../shared/messages/designs/designs.ts')
  return listDesignInputs(language).map(({ theme, name, document }) => ({
    theme,
    name,
    document: completeMail(document),
  }))
}

export interface ReadyDesign {
  theme: ThemeName
  name: string
  document: MailDocument
}
>>>>>>> e6dfb9bb5bf00da242135293cfd6d23dc4c87c39:web/kits/mail-editor/ready-designs.ts

export const themeLabels: Readonly<Record<ThemeName, { label: string; hint: string }>> = {
  quiet: { label: 'Quiet', hint: 'Much white, thin lines' },
  warm: { label: 'Warm', hint: 'Soft ground, round corners' },
  bold: { label: 'Bold', hint: 'Large letters, strong color' },
  letter: { label: 'Letter', hint: 'Like a personal mail' },
}
