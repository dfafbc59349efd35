import { useEffect, useRef } from 'react'

/**
 * j and k move down and up the list, u marks as unread or read (decision 70). Enter opens a row, which is a link.
 * `onToggle` receives the id of the focused row.
 */
export function useListKeys(list: { current: HTMLElement | null }, onToggle: (id: string | null) => void): void {
  const latest = useRef(onToggle)
  useEffect(() => {
    latest.current = onToggle
  })
  useEffect(() => {
    const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('.note-row') ?? [])]
    const go = (step: number) => {
      const all = rows()
      const focused = all.indexOf(document.activeElement as HTMLElement)
      const from = focused >= 0 ? focused : all.findIndex((row) => row.hasAttribute('aria-current'))
      const next = all[from < 0 ? 0 : Math.min(all.length - 1, Math.max(0, from + step))]
      next?.focus()
    }
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === 'j') go(1)
      else if (event.key === 'k') go(-1)
      else if (event.key === 'u') {
        latest.current(rows().find((row) => row === document.activeElement)?.dataset.id ?? null)
      }
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [list])
}

/** Also true inside a dialog above the list. */
const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input:not([type=radio]), textarea, select, [contenteditable], [role=dialog]') !== null
