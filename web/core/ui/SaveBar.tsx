import { Button, Group } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
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
  useSaveKey(() => {
    if (isDirty && !isSaving && !isDisabled) onSave()
  })
  const press = isStanding ? ({ type: 'submit' } as const) : { onClick: onSave }
  return (
    <>
      {(isDirty || isStanding) && (
        <section className={isDirty ? 'save-bar' : 'save-end'} aria-label={isDirty ? 'Unsaved changes' : saveLabel}>
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
