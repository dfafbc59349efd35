import { Button, Group } from '@mantine/core'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLeaveGuard } from './useLeaveGuard.tsx'

interface Props {
  isDirty: boolean
  isSaving: boolean
  isDisabled?: boolean
  /** Why the last save failed, shown in the bar so that it is always visible. */
  problem?: ReactNode
  /** Other effects of saving. */
  note?: ReactNode
  saveLabel?: string
  /** The end of a form whose submit button stays visible without changes. It floats only while there are some. */
  isStanding?: boolean
  /** What the last save did. Shown until the next change, beside the button of a standing bar. */
  done?: ReactNode
  onSave: () => void
  onDiscard: () => void
}

/** Appears with the first change. Ctrl+S saves too, and leaving the page needs a confirmation. */
export function SaveBar(props: Props) {
  const { isDirty, isSaving, isDisabled = false, problem, note, saveLabel = 'Save', isStanding, done } = props
  const { onSave, onDiscard } = props
  const { question } = useLeaveGuard(isDirty)
  const bar = useRef<HTMLElement>(null)
  useFieldInSight(bar, isDirty)
  useSaveKey(() => {
    if (isDirty && !isSaving && !isDisabled) onSave()
  })
  const press = isStanding ? ({ type: 'submit' } as const) : { onClick: onSave }
  return (
    <>
      {(isDirty || isStanding) && (
        <section
          ref={bar}
          className={isDirty ? 'save-bar' : 'save-end'}
          aria-label={isDirty ? 'Unsaved changes' : saveLabel}
        >
          {problem && <div className="save-problem">{problem}</div>}
          {isDirty && (
            <span role="status">
              Unsaved changes
              {note && <span className="save-note">{note}</span>}
            </span>
          )}
          <Group gap="xs" wrap="nowrap">
            {isDirty && (
              <Button size="sm" variant="default" onClick={onDiscard} disabled={isSaving}>
                Discard
              </Button>
            )}
            <Button size="sm" {...press} loading={isSaving} disabled={isDisabled}>
              {saveLabel}
            </Button>
          </Group>
          {!isDirty && done}
        </section>
      )}
      {question}
    </>
  )
}

/** Scrolls the edited field out from under the bar: when the bar appears or grows, and when the focus moves. */
function useFieldInSight(bar: RefObject<HTMLElement | null>, isShown: boolean) {
  useLayoutEffect(() => {
    const { current } = bar
    if (!isShown || !current) return
    const reveal = () => {
      const distance = measureCovered(current, document.activeElement)
      if (distance > 0) scrollBy({ top: distance })
    }
    // The page moves to the focused field after this event.
    const revealSoon = () => requestAnimationFrame(reveal)
    const observer = new ResizeObserver(reveal)
    observer.observe(current)
    addEventListener('focusin', revealSoon)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', revealSoon)
    }
  }, [bar, isShown])
}

/** Room between the field and the bar, and above a field too tall for the page. */
const GAP_PX = 16
const HEADER_PX = 80

/** By how many pixels the bar covers the field. Dialogs are in front of the bar. */
function measureCovered(bar: HTMLElement, field: Element | null): number {
  if (!field || field === document.body || bar.contains(field) || field.closest('[role=dialog]')) return 0
  const { top, bottom } = field.getBoundingClientRect()
  return Math.min(bottom + GAP_PX - bar.getBoundingClientRect().top, top - HEADER_PX)
}

/** Prevents the browser's "save page" wherever something can be saved. */
function useSaveKey(onSave: () => void) {
  const latest = useRef(onSave)
  useEffect(() => {
    latest.current = onSave
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
