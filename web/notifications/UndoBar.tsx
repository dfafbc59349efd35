import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { undoDeletion, useUndoable } from './deleting.ts'

interface Props {
  /** Moves the focus before the button that has it goes. */
  onUndo: () => void
}

/** For ten seconds after something was deleted. Where it appears is read out from the start, so that its coming is. */
export function UndoBar({ onUndo }: Props) {
  const undoable = useUndoable()
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

/** The bell may be open on the notifications screen: of both bars only the one that came last is read out. */
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
