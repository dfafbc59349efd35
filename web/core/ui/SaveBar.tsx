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
  onSave: () => void
  onDiscard: () => void
}

/** Appears with the first change. Ctrl+S saves too, and leaving the page needs a confirmation. */
export function SaveBar({ isDirty, isSaving, isDisabled = false, problem, note, onSave, onDiscard }: Props) {
  const { question } = useLeaveGuard(isDirty)
  useSaveKey(() => {
    if (isDirty && !isSaving && !isDisabled) onSave()
  })
  return (
    <>
      {isDirty && (
        <section className="save-bar" aria-label="Unsaved changes">
          {problem && <div className="save-problem">{problem}</div>}
          <span role="status">
            Unsaved changes
            {note && <span className="save-note">{note}</span>}
          </span>
          <Group gap="xs" wrap="nowrap">
            <Button size="sm" variant="default" onClick={onDiscard} disabled={isSaving}>
              Discard
            </Button>
            <Button size="sm" onClick={onSave} loading={isSaving} disabled={isDisabled}>
              Save
            </Button>
          </Group>
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
