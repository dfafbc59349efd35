import type { KeyboardEvent } from 'react'

/**
 * Whether Escape is meant for this dialog. React's events also come from menus and dialogs that are drawn elsewhere in
 * the page; these close themselves, as an open list does.
 */
export function isEscape({ key, currentTarget, target, defaultPrevented }: KeyboardEvent<Element>): boolean {
  const element = target as Element
  const isListOpen = element.getAttribute('aria-expanded') === 'true'
  return key === 'Escape' && !defaultPrevented && !isListOpen && currentTarget.contains(element)
}
