import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { undoDeletion, usePendingUndo } from './deleting.ts'

interface Props {
  /** Moves the focus before its button disappears. */
  onUndo: () => void
}

/** Shown for ten seconds after a deletion. The live region exists from the start, so its appearance is announced. */
export function UndoBar({ onUndo }: Props) {
  const undoable = usePendingUndo()
  const isRead = useIsNewest()
  const undo = () => {
    onUndo()
    void undoDeletion()
  }
  return (
    <div role={isRead ? 'status' : undefined} className="undo-place">
      {undoable && (
        <div className="undo-bar">
          <span>{undoable.text}</span>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconArrowBackUp size={15} aria-hidden />}
            onClick={undo}
          >
            Undo
          </Button>
        </div>
      )}
    </div>
  )
}

const bars: object[] = []
const listeners = new Set<() => void>()
const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** With the bell open on the notifications screen there are two bars; only the newer one is announced. */
function useIsNewest(): boolean {
  const [self] = useState(() => ({}))
  useEffect(() => {
    bars.push(self)
    for (const listener of listeners) listener()
    return () => {
      bars.splice(bars.indexOf(self), 1)
      for (const listener of listeners) listener()
    }
  }, [self])
  return useSyncExternalStore(listen, () => bars.at(-1) === self)
}
