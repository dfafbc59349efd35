import type { TextTemplate } from '../../core/schema/text-channels.ts'

/** A template as its provider lists it. */
export interface ProviderTemplate {
  /** What a message names it by: its name at Meta, its ContentSid at Twilio. */
  name: string
  /** What people know it by. */
  title: string
  language: string
  category: TextTemplate['category'] | 'authentication'
  /** In the provider's words, lower case: approved, pending, rejected, paused, disabled … */
  status: string
  /** The body, with `{{1}}`, `{{2}}` … */
  text: string
  /** What the URL button's address begins with; null: no button that takes the rest. */
  buttonUrlPrefix: string | null
  /** Why it cannot be used here, in a sentence; null: it can. */
  problem: string | null
}

/** How many places the text has, or null when they are not `{{1}}` to `{{n}}`. Pure. */
export function placesOf(text: string): number | null {
  const names = [...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name]) => name!.trim()))]
  return names.every((name) => /^\d+$/.test(name) && Number(name) >= 1 && Number(name) <= names.length)
    ? names.length
    : null
}

/** Why a template is no use to us, whoever's it is: it has to be approved, of text, and with numbered places. Pure. */
export function templateProblem(of: {
  status: string
  category: string
  text: string
  hasMedia: boolean
  button: { url: string } | null
  /** The number the button's place must have: 1 where buttons count for themselves, else after the body's. */
  buttonPlace: (bodyPlaces: number) => number
}): string | null {
  if (of.status !== 'approved') return `WhatsApp has not approved it (${of.status}).`
  if (of.category === 'authentication') return 'It is for sign-in codes only.'
  if (of.hasMedia) return 'It has a picture, video or document, which reminders do not support.'
  const places = placesOf(of.text)
  if (places === null) return 'Its variables have names; only numbered ones such as {{1}} are supported.'
  const inButton = of.button ? [...of.button.url.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name) : []
  if (inButton.length === 0) return null
  const isAtEnd = /\{\{\s*\w+\s*\}\}$/.test(of.button!.url)
  return inButton.length === 1 && isAtEnd && inButton[0] === String(of.buttonPlace(places))
    ? null
    : 'Its button’s address has variables that cannot be filled.'
}

export const buttonPrefix = (button: { url: string } | null): string | null =>
  button && /\{\{\s*\w+\s*\}\}$/.test(button.url) ? button.url.replace(/\{\{\s*\w+\s*\}\}$/, '') : null
