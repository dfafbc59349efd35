import type { ThemeName } from '../../../shared/messages/mail-document.ts'

export const themeLabels: Readonly<Record<ThemeName, { label: string; hint: string }>> = {
  quiet: { label: 'Quiet', hint: 'Much white, thin lines' },
  warm: { label: 'Warm', hint: 'Soft ground, round corners' },
  bold: { label: 'Bold', hint: 'Large letters, strong color' },
  letter: { label: 'Letter', hint: 'Like a personal mail' },
}
