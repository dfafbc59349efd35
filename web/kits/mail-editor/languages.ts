import { mailLanguages } from '../../../shared/messages/mail-document.ts'

const names = new Intl.DisplayNames(['en'], { type: 'language' })

export const languageOptions = mailLanguages.map((value) => ({
  value: value as string,
  label: names.of(value) ?? value,
}))
