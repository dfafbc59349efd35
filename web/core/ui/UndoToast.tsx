import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect, useRef } from 'react'
import { type Deletion, deletions } from '../api/deletions.ts'

/** Deletes with the toast "… · Undo", which stays while the deletion can be undone. */
export function deleteWithToast(text: string, deletion: Omit<Deletion, 'onClosed'>): void {
  const toast = `undo-${deletion.id}`
  deletions.start({ ...deletion, onClosed: () => notifications.hide(toast) })
  notifications.show({
    id: toast,
    message: <UndoToast text={text} onUndo={() => deletions.undo(deletion.id)} />,
    color: 'brand',
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    onClose: () => deletions.finish(deletion.id),
  })
}

function UndoToast({ text, onUndo }: { text: string; onUndo: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The focus was in the deleted row, behind a dialog that closes now.
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) button.current?.focus()
    }, FOCUS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      {text}
      <Button ref={button} size="compact-sm" variant="subtle" onClick={onUndo}>
        Undo
      </Button>
    </Group>
  )
}

/** The dialog returns the focus first. */
const FOCUS_AFTER_MS = 400
