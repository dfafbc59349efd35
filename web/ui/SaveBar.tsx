import { Button, Group } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLeaveGuard } from './useLeaveGuard.tsx'

interface Props {
  isDirty: boolean
  isSaving: boolean
  isDisabled?: boolean
  /** Why the last saving did not happen: it stands with the button that was pressed, wherever the page is scrolled to. */
  problem?: ReactNode
  /** What saving does beyond the form. */
  note?: ReactNode
  onSave: () => void
  onDiscard: () => void
}

/** Appears with the first change, saves by Ctrl+S as well, and asks before the page is left without saving. */
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

/** Where something can be saved, the browser's own "save page" is never what is meant. */
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
