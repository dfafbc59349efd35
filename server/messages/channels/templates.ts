import type { TextTemplate } from '../../core/schema/public.ts'

/** A template as listed by its provider. */
export interface ProviderTemplate {
  /** Its id in a message: the name at Meta, the ContentSid at Twilio. */
  name: string
  /** Display name. */
  title: string
  language: string
  category: TextTemplate['category'] | 'authentication'
  /** The provider's status in lower case: approved, pending, rejected, paused, disabled … */
  status: string
  /** The body, with `{{1}}`, `{{2}}` … */
  text: string
  /** Prefix of the URL button's address; null: no button with a placeholder. */
  buttonUrlPrefix: string | null
  /** Why Recoup cannot use it, in a sentence; null: usable. */
  problem: string | null
}

/** Number of placeholders in the text, or null when they are not `{{1}}` to `{{n}}`. Pure. */
export function countPlaceholders(text: string): number | null {
  const names = [...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name]) => name!.trim()))]
  return names.every((name) => /^\d+$/.test(name) && Number(name) >= 1 && Number(name) <= names.length)
    ? names.length
    : null
}

/**
 * Why a template is unusable for any provider: it must be approved, be plain text and have numbered placeholders. Pure.
 */
export function findTemplateProblem(of: {
  status: string
  category: string
  text: string
  hasMedia: boolean
  button: { url: string } | null
  /** Required number of the button's placeholder: 1 where buttons are numbered separately, else after the body's. */
  buttonPlace: (bodyPlaces: number) => number
}): string | null {
  if (of.status !== 'approved') return `WhatsApp has not approved it (${of.status}).`
  if (of.category === 'authentication') return 'It is for sign-in codes only.'
  if (of.hasMedia) return 'It has a picture, video or document, which reminders do not support.'
  const places = countPlaceholders(of.text)
  if (places === null) return 'Its variables have names; only numbered ones such as {{1}} are supported.'
  const inButton = of.button ? [...of.button.url.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name) : []
  if (inButton.length === 0) return null
  const isAtEnd = /\{\{\s*\w+\s*\}\}$/.test(of.button!.url)
  return inButton.length === 1 && isAtEnd && inButton[0] === String(of.buttonPlace(places))
    ? null
    : 'Its button’s address has variables that cannot be filled.'
}

export const parseButtonPrefix = (button: { url: string } | null): string | null =>
  button && /\{\{\s*\w+\s*\}\}$/.test(button.url) ? button.url.replace(/\{\{\s*\w+\s*\}\}$/, '') : null
